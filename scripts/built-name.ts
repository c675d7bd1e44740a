import type { build } from 'vite';

/** The name of the program that a build for the server gave. */
export function getEntryFileName(built: Awaited<ReturnType<typeof build>>): string {
  if (!('output' in built)) throw new Error('The build gave no program.');
  return built.output[0].fileName;
}
