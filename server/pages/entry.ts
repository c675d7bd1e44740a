import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Manifest, PagesEntry } from '../../contract/pages.ts';

/** Imports the pages' server entry from the build in `root`. */
export function importEntry(root: string, manifest: Manifest): Promise<PagesEntry> {
  return import(pathToFileURL(join(root, 'server', manifest.server)).href);
}
