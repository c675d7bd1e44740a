import { useEffect, useRef } from 'react';
import { isPlainClick } from '../../../../client/plain-click.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';

type Props = { codes: string[]; onDone: () => void };

const question = 'Leave this page? Your recovery codes won’t be shown again.';

/** New recovery codes, which are shown only once. */
export function RecoveryCodes({ codes, onDone }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const toast = useToast();
  useEffect(() => heading.current?.focus(), []);
  useEffect(() => {
    // Preventing this event makes browsers ask before they leave the page.
    const warn = (event: Event) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, []);
  // The shop's links and forms, and Back, need a question of our own. React Router's `useBlocker` would add 240 bytes to the home
  // page's scripts.
  useEffect(() => {
    const ask = (event: Event) => {
      if (window.confirm(question)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    const askOnClick = (event: MouseEvent) => {
      const isLink = event.target instanceof Element && event.target.closest('a[href^="/"]:not([target])');
      if (isLink && isPlainClick(event)) ask(event);
    };
    const askOnBack = (event: NavigateEvent) => {
      if (event.navigationType === 'traverse' && event.cancelable) ask(event);
    };
    window.addEventListener('click', askOnClick, { capture: true });
    window.addEventListener('submit', ask, { capture: true });
    window.navigation?.addEventListener('navigate', askOnBack);
    return () => {
      window.removeEventListener('click', askOnClick, { capture: true });
      window.removeEventListener('submit', ask, { capture: true });
      window.navigation?.removeEventListener('navigate', askOnBack);
    };
  }, []);
  const text = codes.join('\n');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => toast('Recovery codes copied.'),
      () => toast('This browser does not allow copying. Download or print them.', 'wrong'),
    );
  const file = `Recovery codes for ${location.host}\nEach works once.\n\n${text}\n`;
  return (
    <section aria-labelledby="recovery-codes" className="max-w-text">
      <h2 id="recovery-codes" ref={heading} tabIndex={-1} className="mb-4 text-2xl">
        Your recovery codes
      </h2>
      <p className="mb-6">
        If you don’t have your phone, sign in with one of these. Each works once. They are shown{' '}
        <strong className="font-medium">only now</strong>, so keep them in a safe place.
      </p>
      <ul className="figures mb-6 grid max-w-form grid-cols-1 gap-x-8 gap-y-1 border border-rule bg-leaf px-5 py-4 text-lg [font-variant-ligatures:none] min-[22rem]:grid-cols-2">
        {codes.map((code) => (
          <li key={code} className="whitespace-nowrap">
            {code}
          </li>
        ))}
      </ul>
      <p className="flex flex-wrap gap-3 print:hidden">
        <Button kind="plain" onClick={copy}>
          Copy
        </Button>
        <a
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
          download="recovery-codes.txt"
          className="button border-edge bg-leaf text-blued hover:border-blued"
        >
          Download
        </a>
        <Button kind="plain" onClick={() => window.print()}>
          Print
        </Button>
        <Button onClick={onDone}>I have saved them</Button>
      </p>
    </section>
  );
}
