export type Report = ReturnType<typeof createReport>;

/** Prints each of the doctor's findings immediately, and counts them. */
export function createReport(print: (line: string) => void) {
  const counts = { ok: 0, warning: 0, error: 0 };
  /** How far other machines' clocks are ahead of ours, in milliseconds. */
  const clocks = new Map<string, number>();
  const write = (severity: keyof typeof counts, finding: string, advice?: string) => {
    counts[severity] += 1;
    print(`${severity.padEnd(9)}${finding}`);
    if (advice) print(`${' '.repeat(9)}→ ${advice}`);
  };
  return {
    counts,
    clocks,
    ok: (finding: string) => write('ok', finding),
    /** The shop works, but something deserves attention. */
    warn: (finding: string, advice: string) => write('warning', finding, advice),
    /** The shop does not work, or loses data. */
    error: (finding: string, advice: string) => write('error', finding, advice),
    /** Records another machine's clock (milliseconds, or a `date` header), read between `startedAt` and now. */
    recordClock(machine: string, time: number | string | null, startedAt: number) {
      const at = new Date(time ?? Number.NaN).getTime();
      if (Number.isFinite(at)) clocks.set(machine, at - (startedAt + Date.now()) / 2);
    },
  };
}
