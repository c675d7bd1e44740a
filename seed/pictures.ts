import { encodeDrawing } from '../server/shop/images/encode.ts';
import { writeEncoded } from '../server/shop/images/encoded-files.ts';
import { plates } from './drawings/plates.ts';

/** Writes every drawing into a folder as the image host keeps pictures. For the build: the shop's first start only reads them. */
export async function drawPictures(folder: string): Promise<void> {
  for (const [stem, draw] of Object.entries(plates))
    await writeEncoded(folder, stem, await encodeDrawing(draw()));
}
