/** Collects the doctor's findings and prints each one at once. */
export type Report = {
  ok: (what: string) => void;
  /** It works, but deserves attention. */
  warn: (what: string, todo: string) => void;
  /** The shop does not work, or loses data. */
  error: (what: string, todo: string) => void;
  /** Records another machine's clock (milliseconds, or a `date` header), read between `began` and now. */
  recordClock: (whose: string, time: number | string | null, began: number) => void;
  /** How far each clock is ahead of ours, in milliseconds. */
  clocks: Map<string, number>;
  /** The number of findings by severity. */
  found: { ok: number; look: number; wrong: number };
};

const margin = ' '.repeat(14);

export function createReport(print: (line: string) => void): Report {
  const found = { ok: 0, look: 0, wrong: 0 };
  const clocks: Report['clocks'] = new Map();
  const write = (how: keyof typeof found, words: string) => (what: string, todo?: string) => {
    found[how] += 1;
    print(`${words.padEnd(margin.length)}${what}`);
    if (todo) print(`${margin}→ ${todo}`);
  };
  return {
    ok: write('ok', 'ok'),
    warn: write('look', 'look at this'),
    error: write('wrong', 'wrong'),
    recordClock(whose, time, began) {
      const at = typeof time === 'string' ? Date.parse(time) : (time ?? Number.NaN);
      if (Number.isFinite(at)) clocks.set(whose, at - (began + Date.now()) / 2);
    },
    clocks,
    found,
  };
}
