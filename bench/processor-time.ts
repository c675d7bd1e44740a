import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Processors that each part has kept busy: 1 is a whole one. */
export type Used = Record<'shop' | 'PostgreSQL' | 'generator', number>;

const ticksPerSecond = 100;

/**
 * Begins to count what the processes that this one has started, and theirs, take of the processors (Linux alone); gives
 * what it was per second since.
 */
export function countProcessorTime(): () => Used {
  const before = readTicks();
  const began = performance.now();
  return () => {
    const seconds = (performance.now() - began) / 1000;
    const used: Used = { shop: 0, PostgreSQL: 0, generator: 0 };
    for (const [pid, { part, ticks }] of readTicks())
      used[part] += (ticks - (before.get(pid)?.ticks ?? 0)) / ticksPerSecond / seconds;
    return used;
  };
}

/** Which of them holds the others up, as far as the processors say. */
export function describeLimit(used: Used, processes: number): string {
  const all = used.shop + used.PostgreSQL + used.generator;
  const parts = Object.entries(used).map(([part, share]) => `${part} ${share.toFixed(2)}`);
  const machine = availableParallelism();
  const limit =
    all > 0.9 * machine
      ? `all ${machine} processors`
      : used.shop > 0.9 * processes
        ? 'the processes'
        : 'waiting for the disk';
  return `processors: ${parts.join(', ')}: limited by ${limit}`;
}

/** In user and in kernel mode together, by process id. */
function readTicks(): Map<number, { part: keyof Used; ticks: number }> {
  const parents = new Map<number, { parent: number; ticks: number }>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`);
    // The name of the program stands in brackets and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    parents.set(Number(name), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
  }
  const isOurs = (pid: number): boolean => {
    const parent = parents.get(pid)?.parent;
    return parent !== undefined && (parent === process.pid || isOurs(parent));
  };
  const found = new Map<number, { part: keyof Used; ticks: number }>();
  for (const [pid, { ticks }] of parents) {
    if (isOurs(pid)) found.set(pid, { part: nameOf(read(`/proc/${pid}/cmdline`)), ticks });
  }
  return found;
}

const nameOf = (command: string): keyof Used =>
  command.includes('postgres') ? 'PostgreSQL' : command.includes('load.ts') ? 'generator' : 'shop';

/** Empty where it has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
