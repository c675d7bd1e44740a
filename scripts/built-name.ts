import type { build } from 'vite';

/** The file name of a server build's entry. */
export function getEntryFileName(built: Awaited<ReturnType<typeof build>>): string {
  if (!('output' in built)) throw new Error('The build has no output.');
  return built.output[0].fileName;
}
