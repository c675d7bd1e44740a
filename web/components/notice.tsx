import { type ReactNode, useEffect, useRef } from 'react';

type Props = {
  /** In red. */
  wrong?: boolean;
  /** A screen reader reads it out when it appears, and it takes the focus; so does one that is `wrong`. */
  announced?: boolean;
  children: ReactNode;
};

/** Something that the visitor must know before they go on. */
export function Notice({ wrong = false, announced = wrong, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (announced) box.current?.focus();
  }, [announced]);
  return (
    <div
      ref={box}
      tabIndex={-1}
      role={announced ? 'alert' : undefined}
      className={`mb-6 border-l-4 bg-leaf px-4 py-3 ${wrong ? 'border-ruby text-ruby' : 'border-brass'}`}
    >
      {children}
    </div>
  );
}
