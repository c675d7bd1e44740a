import { invalid } from '../../../contract/errors.ts';
import type { Config } from '../../config/config.ts';
import type { Tx } from '../../database/schema.ts';
import { touchImage } from './images.ts';

/**
 * Judges the picture of a product or review: one that was put on our own host, or, where a hosted one is
 * set, an https address. Throws 422.
 */
export function createImageCheck(config: Config) {
  return async function checkImage(tx: Tx, url: string): Promise<void> {
    if (config.imageHost && URL.canParse(url) && new URL(url).protocol === 'https:') return;
    if (await touchImage({ db: tx }, url)) return;
    throw invalid('img', 'Image must be one that was uploaded here: choose the picture again');
  };
}
