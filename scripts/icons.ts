import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { hairspring } from '../web/components/layout/logo-shape.ts';

const [paper, ink, brass, ruby, edge] = ['#f7f2e8', '#211d17', '#b07a22', '#9b1c31', '#857a69'];

/** The logo at favicon size, reduced to its rim, bar and jewel. */
export function drawTabIcon(size: number): Promise<Buffer> {
  return draw(size, size, readFileSync('web/drawings/icon.svg', 'utf8'));
}

/** The whole logo on the paper colour, with the margin that maskable icons need. */
export function drawAppIcon(size: number): Promise<Buffer> {
  return draw(
    size,
    size,
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 -12 72 72" fill="none" stroke="${ink}" stroke-width="1.8">
      <path d="M-12-12h72v72h-72z" fill="${paper}" stroke="none"/>
      <circle cx="24" cy="24" r="22"/><circle cx="24" cy="24" r="17.5"/>
      <path d="M24 6.5v35" stroke="${brass}" stroke-width="4"/><path d="${hairspring}"/>
      <circle cx="24" cy="24" r="3.2" fill="${ruby}" stroke="none"/>
    </svg>`,
  );
}

/**
 * The link preview image, 1200 × 630: the movement on a ruled sheet. Text would look different with the fonts of each build
 * machine, and sites show the page's title next to the image, so the image has none.
 */
export async function drawShareCard(): Promise<Buffer> {
  const movement = await draw(500, 500, readFileSync('web/drawings/movement.svg', 'utf8'));
  const sheet = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630" fill="none" stroke="${edge}">
    <path d="M0 0h1200v630H0z" fill="${paper}" stroke="none"/>
    <path d="M24 24h1152v582H24z" stroke-width="3"/><path d="M32 32h1136v566H32z"/>
  </svg>`;
  return sharp(await draw(1200, 630, sheet))
    .composite([{ input: movement, left: 350, top: 65 }])
    .png({ compressionLevel: 9, palette: true })
    .toBuffer();
}

function draw(width: number, height: number, svg: string): Promise<Buffer> {
  return sharp(Buffer.from(svg), { density: 288 })
    .resize(width, height)
    .png({ compressionLevel: 9 })
    .toBuffer();
}

/** The web app manifest. */
export function createWebManifest(small: string, large: string): string {
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
