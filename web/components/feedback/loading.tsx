import { useEffect, useState } from 'react';

const longWaitMs = 10_000;

/** The loading indicator: the specified text above a pendulum. */
export function Loading() {
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(setIsSlow, longWaitMs, true);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="fixed inset-x-4 top-1/3 z-30 mx-auto flex w-fit max-w-text flex-col items-center gap-2 border border-edge bg-leaf px-10 py-6 text-center text-soft">
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
      {isSlow && <p>This is taking longer than usual. The page will open as soon as the shop responds.</p>}
    </div>
  );
}
