import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { readEncoded } from '../server/shop/images/encoded-files.ts';
import { catalogue } from './catalogue.ts';
import { plates, tools } from './drawings/plates.ts';
import { drawPictures } from './pictures.ts';
import { reviews } from './reviews.ts';

const inBounds = (value: number, low: number, high: number) =>
  Number.isInteger(value) && value >= low && value <= high;

test('no two tools share a name, an address or a plate', () => {
  for (const field of ['name', 'slug', 'drawing'] as const) {
    expect(new Set(catalogue.map((tool) => tool[field])).size).toBe(catalogue.length);
  }
});

test('every tool keeps the bounds of a product, and its smallest order the least that can be charged', () => {
  const broken = catalogue.filter(
    ({ name, price, minimum, available, description }) =>
      name.length > 100 ||
      !inBounds(price, 1, 99_999_999) ||
      !inBounds(minimum, 1, 1_000_000) ||
      !inBounds(available, 0, 1_000_000) ||
      price * minimum < 50 ||
      !inBounds(description.length, 150, 600),
  );
  expect(broken.map(({ slug }) => slug)).toEqual([]);
});

test('the first three tools can be bought, and one tool is sold out', () => {
  const soldOut = catalogue.map(({ minimum, available }) => available < minimum);
  expect(soldOut.slice(0, 3)).toEqual([false, false, false]);
  expect(soldOut.filter(Boolean)).toHaveLength(1);
});

test('a description cut at 100 characters still says what the tool is for', () => {
  const short = catalogue.filter(({ description }) => description.indexOf('. ') < 60);
  expect(short.map(({ slug }) => slug)).toEqual([]);
});

test('every plate of a tool is in the catalogue, and its measures are those of the description', async () => {
  expect(catalogue.map(({ drawing }) => drawing).toSorted()).toEqual(Object.keys(tools).toSorted());
  for (const { drawing, description } of catalogue) {
    const source = await readFile(new URL(`drawings/${drawing}.ts`, import.meta.url), 'utf8');
    const measures = [...source.matchAll(/dimension\([^']*'(?:ø )?(\d+)'\)/g)].map(([, measure]) => measure);
    expect(measures.length, drawing).toBeGreaterThan(0);
    for (const measure of measures) expect(description, drawing).toMatch(new RegExp(`\\b${measure}\\b`));
  }
});

test('a review keeps its bounds, and nobody in it can be written to', () => {
  for (const { name, email, rating, text, picture } of reviews) {
    expect(email, name).toMatch(/^[a-z.]+@([a-z-]+\.example|example\.com)$/);
    expect(inBounds(rating, 1, 5), name).toBe(true);
    expect(inBounds(text.length, 60, 400), name).toBe(true);
    expect(plates, name).toHaveProperty([picture]);
  }
  expect(new Set(reviews.map(({ email }) => email)).size).toBe(reviews.length);
});

test('a drawing is strokes alone: no font, script, style or outside address decides how it looks', () => {
  for (const [stem, draw] of Object.entries(plates)) {
    const svg = draw();
    const elements = new Set([...svg.matchAll(/<([a-z]+)/gi)].map(([, element]) => element));
    expect([...elements].toSorted(), stem).toEqual(['path', 'rect', 'svg']);
    expect(svg.replace('http://www.w3.org/2000/svg', ''), stem).not.toMatch(/href|url\(|:\/\/|NaN|undefined/);
  }
});

test('every drawing is rendered in its size, the same at every build', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plates-'));
  try {
    await drawPictures(folder);
    for (const stem of Object.keys(plates)) {
      const { widths } = await readEncoded(folder, stem);
      const widest = widths.at(-1);
      const { format, width, height } = await sharp(widest?.bytes).metadata();
      expect(`${stem}: ${format} ${width}×${height}`).toBe(
        `${stem}: webp ${stem.startsWith('portrait-') ? '960×960' : '960×720'}`,
      );
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
