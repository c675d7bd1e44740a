import { imageWidths } from '../server/shop/images/decoder/encode.ts';

/** The widths of an image in `seed/images/`. The portraits were drawn at 960 px. */
export const listImageWidths = (name: string): readonly number[] =>
  name.startsWith('portrait-') ? imageWidths.slice(0, -1) : imageWidths;
