/** Prints each of the doctor's findings immediately, and counts them. */
export type Report = {
  ok: (finding: string) => void;
  /** The shop works, but something deserves attention. */
  warn: (finding: string, advice: string) => void;
  /** The shop does not work, or loses data. */
  error: (finding: string, advice: string) => void;
  /** Records another machine's clock (milliseconds, or a `date` header), read between `startedAt` and now. */
  recordClock: (machine: string, time: number | string | null, startedAt: number) => void;
  /** How far each clock is ahead of ours, in milliseconds. */
  clocks: Map<string, number>;
  counts: { ok: number; warning: number; error: number };
};

const margin = ' '.repeat(9);

export function createReport(print: (line: string) => void): Report {
  const counts = { ok: 0, warning: 0, error: 0 };
  const clocks: Report['clocks'] = new Map();
  const write = (severity: keyof typeof counts) => (finding: string, advice?: string) => {
    counts[severity] += 1;
    print(`${severity.padEnd(margin.length)}${finding}`);
    if (advice) print(`${margin}→ ${advice}`);
  };
  return {
    ok: write('ok'),
    warn: write('warning'),
    error: write('error'),
    recordClock(machine, time, startedAt) {
      const at = typeof time === 'string' ? Date.parse(time) : (time ?? Number.NaN);
      if (Number.isFinite(at)) clocks.set(machine, at - (startedAt + Date.now()) / 2);
    },
    clocks,
    counts,
  };
}
