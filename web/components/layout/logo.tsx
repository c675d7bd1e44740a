import { hairspring } from './logo-shape.ts';

/** The shop's logo: a balance wheel with its hairspring. */
export function Logo() {
  return (
    <svg
      viewBox="0 0 48 48"
      className="size-9 shrink-0 sm:size-10"
      fill="none"
      stroke="currentColor"
      aria-hidden="true"
    >
      <circle cx="24" cy="24" r="21" strokeWidth="1.5" />
      <circle cx="24" cy="24" r="17.5" strokeWidth="1.5" />
      <path d="M24 6.5v35" strokeWidth="3" className="stroke-brass" />
      <path d={hairspring} strokeWidth="1.5" />
      <circle cx="24" cy="24" r="2.5" className="fill-ruby" stroke="none" />
    </svg>
  );
}
