/** A pendulum under the specification's words. */
export function Loading() {
  return (
    <div role="status" className="flex flex-col items-center gap-2 py-16 text-soft">
      <p className="font-serif text-lg">Please Wait, Processing...</p>
      <svg viewBox="0 0 48 96" className="h-24 w-12" fill="none" stroke="currentColor" aria-hidden="true">
        <path d="M8 1.5h32" strokeWidth="3" />
        <g className="pendulum" strokeWidth="1.5">
          <path d="M24 2v66" />
          <circle cx="24" cy="78" r="10" className="fill-brass stroke-none opacity-40" />
          <circle cx="24" cy="78" r="10" />
          <path d="M24 88v4m-2 0h4" />
        </g>
      </svg>
    </div>
  );
}
