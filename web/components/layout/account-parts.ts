import { loadChunk } from '../../client/chunk.ts';

type Parts = typeof import('./account.tsx');

let parts: Parts | undefined;

/** The parts of the header and of cards for signed-in users. They are loaded before the page has a viewer, so visitors never load them. */
export const getAccountParts = (): Parts | undefined => parts;

export function setAccountParts(loaded: Parts): void {
  parts = loaded;
}

export async function loadAccountParts(): Promise<void> {
  parts ??= await loadChunk(import('./account.tsx'));
}
