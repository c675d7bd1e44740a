import { encodeDrawing } from '../server/shop/images/decoder/encode.ts';
import { plates } from './drawings/plates.ts';
import { writeEncodedFiles } from './encoded-files.ts';

/** Renders all drawings into a folder, in the image host's format. Runs in the build, to keep the first start fast. */
export async function renderDrawings(folder: string): Promise<void> {
  for (const [stem, draw] of Object.entries(plates))
    await writeEncodedFiles(folder, stem, await encodeDrawing(draw()));
}
