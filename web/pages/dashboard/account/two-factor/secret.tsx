import { useEffect, useRef } from 'react';
import type { SetUp } from './forms.ts';

/** The blank margin that scanners need: four modules of two units each. */
const margin = 8;

/** The QR code for the authenticator app, and its secret as text. */
export function Secret({ totpURI, qrCode: { path, size } }: SetUp) {
  const secret = new URL(totpURI).searchParams.get('secret') ?? '';
  const heading = useRef<HTMLHeadingElement>(null);
  // The password form is gone.
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h2 ref={heading} tabIndex={-1} className="mb-4 text-2xl outline-none">
        Scan this with your authenticator app
      </h2>
      <p className="mb-6 max-w-text text-soft">
        Any authenticator app will do, including many password managers. If yours is on this device,{' '}
        <a href={totpURI} className="link">
          open it directly
        </a>
        .
      </p>
      {/* Black on white in dark mode, too: many scanners cannot read the reverse. */}
      <svg
        role="img"
        aria-label="QR code for your authenticator app, with the same key as below"
        viewBox={`${-margin} ${-margin} ${size + 2 * margin} ${size + 2 * margin}`}
        className="mb-6 w-56 max-w-full bg-[#fff] text-[#000]"
      >
        <path d={path} fill="currentColor" fillRule="evenodd" />
      </svg>
      <p className="mb-1 text-sm font-medium">Or type this key into the app</p>
      <p className="figures mb-8 wrap-anywhere select-all">{secret.match(/.{1,4}/g)?.join(' ')}</p>
    </>
  );
}
