import { type ReactNode, useEffect, useRef } from 'react';

/** Something that the visitor must know before they go on; `wrong` is red and takes the focus when it appears. */
export function Notice({ wrong = false, children }: { wrong?: boolean; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (wrong) box.current?.focus();
  }, [wrong]);
  return (
    <div
      ref={box}
      tabIndex={-1}
      role={wrong ? 'alert' : undefined}
      className={`mb-6 border-l-4 bg-leaf px-4 py-3 ${wrong ? 'border-ruby text-ruby' : 'border-brass'}`}
    >
      {children}
    </div>
  );
}
