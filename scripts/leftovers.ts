import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const month = 30 * 24 * 60 * 60 * 1000;

/**
 * Removes what no build has written for a month. Until then files of earlier builds stay: a shop that is still
 * running from one reads some of them late, and a page that is still open asks for its scripts.
 */
export function dropLeftovers(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && statSync(file).mtimeMs < Date.now() - month) rmSync(file);
  }
}
