import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { plates } from './drawings/plates.ts';

/** Pixels for a unit of a drawing: tools are 480 × 360 units, portraits 240 × 240. */
const TOOL_SCALE = 2.5;
const PORTRAIT_SCALE = 2;

/** A drawing at 72 dots an inch has a pixel a unit. */
const UNIT_DENSITY = 72;

/** Writes every drawing as `{stem}.png` into a folder, made if need be: tools 1200 × 900, portraits 480 × 480. */
export async function drawPictures(outFolder: string): Promise<void> {
  await mkdir(outFolder, { recursive: true });
  for (const [stem, draw] of Object.entries(plates)) {
    const scale = stem.startsWith('portrait-') ? PORTRAIT_SCALE : TOOL_SCALE;
    await sharp(Buffer.from(draw()), { density: UNIT_DENSITY * scale })
      .removeAlpha()
      .png({ compressionLevel: 9 })
      .toFile(join(outFolder, `${stem}.png`));
  }
}
