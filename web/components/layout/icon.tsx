const paths = {
  done: 'M1.5 6.5l3 3 6-7',
  open: 'M6 1.5a4.5 4.5 0 1 0 .01 0z',
  wrong: 'M6 1l5 5-5 5-5-5z',
  unfold: 'M1.5 4l4.5 4.5L10.5 4',
};

/** A decorative icon. Always put text with the same meaning beside it. */
export function Icon({ name, className = '' }: { name: keyof typeof paths; className?: string }) {
  return (
    <svg
      viewBox="0 0 12 12"
      className={`inline-block size-[0.72em] shrink-0 stroke-current ${className}`}
      fill={name === 'wrong' ? 'currentColor' : 'none'}
      strokeWidth="1.8"
      strokeLinejoin="round"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
