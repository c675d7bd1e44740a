import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

type Part = 'shop' | 'PostgreSQL' | 'generator';
/** CPU time by part, in processors: 1 is one fully used processor. */
export type ProcessorTime = Record<Part | 'others', number>;

const ticksPerSecond = 100;

/** Measures the CPU time of this process's descendants until the returned function is called. Linux only. */
export function startProcessorTimer(): () => ProcessorTime {
  const before = readTicks();
  const busyBefore = readBusyTicks();
  const startedAt = performance.now();
  return () => {
    const seconds = (performance.now() - startedAt) / 1000;
    const used: ProcessorTime = { shop: 0, PostgreSQL: 0, generator: 0, others: 0 };
    for (const [pid, { part, ticks }] of readTicks())
      used[part] += (ticks - (before.get(pid)?.ticks ?? 0)) / ticksPerSecond / seconds;
    const busy = (readBusyTicks() - busyBefore) / ticksPerSecond / seconds;
    used.others = Math.max(0, busy - used.shop - used.PostgreSQL - used.generator);
    return used;
  };
}

/** Names the bottleneck as far as CPU time shows it. */
export function describeLimit(used: ProcessorTime, processes: number): string {
  const total = Object.values(used).reduce((sum, share) => sum + share);
  const parts = Object.entries(used).map(([part, share]) => `${part} ${share.toFixed(2)}`);
  const machine = availableParallelism();
  const limit =
    total > 0.9 * machine
      ? `all ${machine} processors`
      : used.shop > 0.9 * processes
        ? 'the processes'
        : used.generator > 0.9
          ? 'the load generator'
          : 'waiting (locks, disk)';
  return `processors: ${parts.join(', ')}: limited by ${limit}`;
}

/** The user and kernel ticks of a process so far; 0 if there is none. Linux only. */
export const readProcessorTicks = (pid: number): number => readProcess(`${pid}`).ticks;

/** User and kernel ticks of our descendants by process id. */
function readTicks(): Map<number, { part: Part; ticks: number }> {
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    processes.set(Number(name), readProcess(name));
  }
  const isOurs = (pid: number): boolean => {
    const parent = processes.get(pid)?.parent;
    return parent !== undefined && (parent === process.pid || isOurs(parent));
  };
  const ticksByPid = new Map<number, { part: Part; ticks: number }>();
  for (const [pid, { ticks }] of processes) {
    if (isOurs(pid)) ticksByPid.set(pid, { part: getPart(readOrEmpty(`/proc/${pid}/cmdline`)), ticks });
  }
  return ticksByPid;
}

function readProcess(pid: string): { parent: number; ticks: number } {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  // The program name is in parentheses and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), ticks: Number(fields[11] ?? 0) + Number(fields[12] ?? 0) };
}

/** Non-idle ticks of all processors. */
function readBusyTicks(): number {
  const [, ...ticks] = (readOrEmpty('/proc/stat').split('\n')[0] ?? '').split(/\s+/).map(Number);
  const [, , , idle = 0, waiting = 0] = ticks;
  // User ticks already include guest ticks.
  return ticks.slice(0, 8).reduce((sum, each) => sum + each, 0) - idle - waiting;
}

const getPart = (command: string): Part =>
  command.includes('postgres') ? 'PostgreSQL' : command.includes('load.ts') ? 'generator' : 'shop';

/** Returns '' if the process has ended. */
function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
