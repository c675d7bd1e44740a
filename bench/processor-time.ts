import { readFileSync } from 'node:fs';

export const ticksPerSecond = 100;

/** The user and kernel ticks of a process so far; 0 if there is none. Linux only. */
export function readProcessorTicks(pid: number): number {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  // The program name is in parentheses and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** Returns '' if the process has ended. */
function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
