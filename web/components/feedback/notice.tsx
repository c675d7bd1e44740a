import { type ReactNode, useEffect, useRef } from 'react';

type Props = {
  /** Red: an error. */
  error?: boolean;
  /** Green: a success. */
  done?: boolean;
  /** Screen readers announce it when it appears, and it takes the focus. Defaults to `error`. */
  announced?: boolean;
  /** The notice was part of the page when it loaded, so it does not take the focus. */
  noFocus?: boolean;
  children: ReactNode;
};

/** A message box. */
export function Notice({ error = false, done = false, announced = error, noFocus = false, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (announced && !noFocus) box.current?.focus();
  }, [announced, noFocus]);
  return (
    <div
      ref={box}
      tabIndex={-1}
      role={announced ? 'alert' : undefined}
      className={`mb-6 border-l-4 bg-leaf px-4 py-3 ${error ? 'border-ruby text-ruby' : done ? 'border-verdigris' : 'border-brass'}`}
    >
      {children}
    </div>
  );
}
