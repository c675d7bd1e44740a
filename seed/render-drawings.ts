import { encodeDrawing } from '../server/shop/images/encode.ts';
import { writeEncodedFiles } from '../server/shop/images/encoded-files.ts';
import { plates } from './drawings/plates.ts';

/** Renders all drawings into a folder, in the image host's format. Runs in the build, to keep the first start fast. */
export async function renderDrawings(folder: string): Promise<void> {
  for (const [stem, draw] of Object.entries(plates))
    await writeEncodedFiles(folder, stem, await encodeDrawing(draw()));
}
