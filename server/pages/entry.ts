import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Manifest, PagesEntry } from '../../contract/pages.ts';

/** Imports the pages' code from the build in `root` that `manifest` describes. */
export function importEntry(root: string, manifest: Manifest): Promise<PagesEntry> {
  return import(pathToFileURL(join(root, 'server', manifest.server)).href);
}
