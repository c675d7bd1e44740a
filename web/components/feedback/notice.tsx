import { type ReactNode, useEffect, useRef } from 'react';

type Props = {
  /** In red. */
  wrong?: boolean;
  /** In green: something that the visitor did has worked. */
  done?: boolean;
  /** Screen readers announce it when it appears, and it takes the focus. Defaults to `wrong`. */
  announced?: boolean;
  /** It was on the page when it loaded, so it takes no focus. */
  still?: boolean;
  children: ReactNode;
};

/** Something that the visitor must know before they go on. */
export function Notice({ wrong = false, done = false, announced = wrong, still = false, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (announced && !still) box.current?.focus();
  }, [announced, still]);
  return (
    <div
      ref={box}
      tabIndex={-1}
      role={announced ? 'alert' : undefined}
      className={`mb-6 border-l-4 bg-leaf px-4 py-3 ${wrong ? 'border-ruby text-ruby' : done ? 'border-verdigris' : 'border-brass'}`}
    >
      {children}
    </div>
  );
}
