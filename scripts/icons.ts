import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { drawMovement } from './drawings/movement.ts';

const paper = '#f7f2e8';
const icon = readFileSync('web/drawings/icon.svg');

/** The shop's mark in so many pixels: as it is, or on paper with the margin that systems cut their shapes from. */
export async function drawIcon(size: number, onPaper: boolean): Promise<Buffer> {
  const inner = onPaper ? Math.round(size * 0.68) : size;
  const mark = await sharp(icon, { density: (72 * inner) / 48 })
    .resize(inner, inner)
    .png()
    .toBuffer();
  const sheet = { width: size, height: size, channels: 4 as const };
  const background = onPaper ? paper : 'transparent';
  return sharp({ create: { ...sheet, background } })
    .composite([{ input: mark }])
    .png({ compressionLevel: 9, palette: true })
    .toBuffer();
}

/** What others see where a page is shared: the movement on a ruled sheet, 1200 × 630. */
export async function drawShareCard(): Promise<Buffer> {
  const [width, height] = [1200, 630];
  const frame = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" fill="none" stroke="#857a69">
    <path d="M24 24h1152v582H24z" stroke-width="3"/><path d="M32 32h1136v566H32z"/></svg>`;
  const movement = await sharp(Buffer.from(drawMovement()), { density: 72 })
    .resize(500, 500)
    .png()
    .toBuffer();
  return sharp({ create: { width, height, channels: 3, background: paper } })
    .composite([{ input: Buffer.from(frame) }, { input: movement, left: 350, top: 65 }])
    .png({ compressionLevel: 9, palette: true })
    .toBuffer();
}

/** What a phone needs to keep the shop on its home screen. */
export function describeApp(small: string, large: string): string {
  const icons = [
    { src: small, sizes: '192x192', type: 'image/png' },
    { src: large, sizes: '512x512', type: 'image/png', purpose: 'any maskable' },
  ];
  return JSON.stringify({
    id: '/',
    name: 'Hand-Tools Shop',
    short_name: 'Hand-Tools',
    description: 'Hand tools for the repair of clocks.',
    start_url: '/',
    display: 'minimal-ui',
    background_color: paper,
    theme_color: paper,
    icons,
  });
}
