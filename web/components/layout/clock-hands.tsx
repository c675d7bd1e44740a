import { useEffect, useRef } from 'react';

type Angles = { hour: number; minute: number; second: number };

const computeAngles = (time: Date): Angles => {
  const second = time.getSeconds();
  const minute = time.getMinutes() + second / 60;
  return { hour: ((time.getHours() % 12) + minute / 60) * 30, minute: minute * 6, second: second * 6 };
};

/** About ten past ten, as in every catalogue; shown until the script runs. */
const catalogueTime: Angles = { hour: 304, minute: 50, second: 210 };

/**
 * Clock hands over a drawing of 640 × 640. They show the visitor's time and tick every second; with reduced motion, they
 * show the minute in which the page was opened.
 */
export function ClockHands() {
  const hands = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
    let timer: ReturnType<typeof setTimeout>;
    const tick = () => {
      const now = new Date();
      if (reducedMotion) now.setSeconds(0);
      for (const [name, angle] of Object.entries(computeAngles(now)))
        hands.current?.querySelector(`[data-hand=${name}]`)?.setAttribute('transform', `rotate(${angle})`);
      if (!reducedMotion) timer = setTimeout(tick, 1000 - (Date.now() % 1000));
    };
    tick();
    return () => clearTimeout(timer);
  }, []);
  return (
    <svg
      ref={hands}
      viewBox="0 0 640 640"
      className="absolute inset-0 fill-blued stroke-leaf"
      strokeWidth="1.5"
      aria-hidden="true"
    >
      <path
        data-hand="hour"
        className="hand"
        transform={`rotate(${catalogueTime.hour})`}
        d="M314 320l2-96c-12-6-18-17-18-28 0-12 10-21 22-40 12 19 22 28 22 40 0 11-6 22-18 28l2 96zm6-140c-7 8-10 12-10 17 0 6 4 10 10 14 6-4 10-8 10-14 0-5-3-9-10-17z"
      />
      <path
        data-hand="minute"
        className="hand"
        transform={`rotate(${catalogueTime.minute})`}
        d="M315 320l2-172c-8-5-12-12-12-20 0-9 8-16 15-58 7 42 15 49 15 58 0 8-4 15-12 20l2 172z"
      />
      <path
        data-hand="second"
        className="hand stroke-none"
        transform={`rotate(${catalogueTime.second})`}
        d="M318.5 370V34h3v336a7 7 0 1 1-3 0z"
      />
      <circle cx="320" cy="320" r="13" />
      <circle cx="320" cy="320" r="4" className="fill-leaf stroke-none" />
    </svg>
  );
}
