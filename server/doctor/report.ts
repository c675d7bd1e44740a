/** What the doctor says, line by line, as it finds it. */
export type Report = {
  ok: (what: string) => void;
  /** It works, and somebody should know of it all the same. */
  look: (what: string, todo: string) => void;
  /** The shop cannot work so, or loses something. */
  wrong: (what: string, todo: string) => void;
  /** Another's clock (milliseconds, or a header `date`), which was read between `began` and now. */
  sawClock: (whose: string, time: number | string | null, began: number) => void;
  /** How far each clock is ahead of ours, in milliseconds. */
  clocks: Map<string, number>;
  /** How many lines there were of each. */
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
    look: write('look', 'look at this'),
    wrong: write('wrong', 'wrong'),
    sawClock(whose, time, began) {
      const at = typeof time === 'string' ? Date.parse(time) : (time ?? Number.NaN);
      if (Number.isFinite(at)) clocks.set(whose, at - (began + Date.now()) / 2);
    },
    clocks,
    found,
  };
}
