import type { ReactNode } from 'react';
import type { PromiseName } from '../../contract/promises.ts';
import { usePromises } from '../shop.tsx';

/** The owner's promises about delivery, returns and the guarantee, one line each. Nothing without promises. */
export function PromiseList({ className = '' }: { className?: string }) {
  const promises = usePromises();
  return (
    promises && (
      <ul aria-label="What we promise" className={`border-b border-rule ${className}`}>
        {promises.map(({ name, text }) => (
          <li key={name} className="flex items-center gap-4 border-t border-rule py-2">
            <svg
              viewBox="0 0 48 48"
              width="40"
              height="40"
              className="shrink-0 stroke-current"
              fill="none"
              strokeWidth="1.5"
              strokeLinecap="round"
              strokeLinejoin="round"
              aria-hidden="true"
            >
              {drawings[name]}
            </svg>
            <span className="min-w-0 wrap-anywhere">{text}</span>
          </li>
        ))}
      </ul>
    )
  );
}

const wash = { fill: 'var(--color-brass)', fillOpacity: 0.2 };
const fine = { strokeWidth: 0.8 };

const drawings: Record<PromiseName, ReactNode> = {
  // A parcel, tied with string.
  delivery: (
    <>
      <path {...wash} d="M6 19.5L24 12l18 7.5V37l-18 7.5L6 37z" />
      <path d="M6 19.5L24 27l18-7.5M24 27v17.5" />
      <path
        {...fine}
        d="M15 15.8l18 7.4v17.6M33 15.8l-18 7.4v17.6M36 26v9.5M38 25.2V34M40 24.3V33M27.5 29.5V36M30 28.5V36"
      />
      <path d="M24 19.5c-6-1-11.5-8.5-7.5-12C20.5 5 23 12.5 24 19.5c1-7 3.5-14.5 7.5-12 4 3.5-1.5 11-7.5 12z" />
    </>
  ),
  // A dial, and an arrow that turns time back.
  returns: (
    <>
      <path {...wash} d="M25 13.5a13.5 13.5 0 1 1-.1 0z" />
      <path
        {...fine}
        d="M25 15.5v1.7M30.8 17l-.9 1.5M35 21.2l-1.5.9M36.5 27h-1.7M35 32.7l-1.5-.8M30.8 37l-.9-1.5M25 38.5v-1.7M19.2 37l.9-1.5M15 32.8l1.5-.9M13.5 27h1.7M15 21.2l1.5.9M19.2 17l.9 1.5M40.4 29.2a15.6 15.6 0 0 1-13.2 13.2"
      />
      <path d="M25 19.5V27l-5.5 3M43.2 18.5A20 20 0 0 0 5.5 23M10.5 17.5L5.5 23 2 16.5" />
    </>
  ),
  // A seal with the teeth of a wheel.
  guarantee: (
    <>
      <path d="M16.5 31l-4 14 6-3 3.5 4 2-10 2 10 3.5-4 6 3-4-14" />
      <circle cx="24" cy="20" r="15" strokeWidth="2.5" strokeLinecap="butt" strokeDasharray="2.945" />
      <path {...wash} d="M24 6.5a13.5 13.5 0 1 1-.1 0z" />
      <path
        {...fine}
        d="M24 10.5a9.5 9.5 0 1 1-.1 0zM34.3 20.9l2.4.2M33.8 23l2.3.7M33 25l2.1 1.2M31.8 26.8l1.8 1.5M30.2 28.2l1.4 1.9M28.4 29.3l1 2.2M26.3 30l.6 2.4M24.2 30.3v2.4"
      />
      <path d="M19.5 20.5L23 24l6-7.5" />
    </>
  ),
};
