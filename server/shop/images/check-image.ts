import { invalid } from '../../../contract/errors.ts';
import type { Config } from '../../config/config.ts';
import type { Tx } from '../../database/schema.ts';
import { touchImage } from './images.ts';

/** Product and review images must be our own, or https URLs if a hosted service is configured. The check throws 422. */
export function createImageCheck(config: Config) {
  return async function checkImage(tx: Tx, url: string): Promise<void> {
    if (config.imageHost && URL.canParse(url) && new URL(url).protocol === 'https:') return;
    if (await touchImage({ db: tx }, url)) return;
    throw invalid('img', 'Image must be one that was uploaded here: choose the image again');
  };
}
