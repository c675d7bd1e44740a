import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { catalogue } from './catalogue.ts';
import { plates, tools } from './drawings/plates.ts';
import { readEncodedFiles } from './encoded-files.ts';
import { renderDrawings } from './render-drawings.ts';
import { reviews } from './reviews.ts';

const isIntegerBetween = (value: number, low: number, high: number) =>
  Number.isInteger(value) && value >= low && value <= high;

test('names, slugs and drawings are unique', () => {
  for (const field of ['name', 'slug', 'drawing'] as const) {
    expect(new Set(catalogue.map((tool) => tool[field])).size).toBe(catalogue.length);
  }
});

test('every tool is a valid product whose minimum order reaches the minimum charge', () => {
  const broken = catalogue.filter(
    ({ name, price, minimum, available, description }) =>
      name.length > 100 ||
      !isIntegerBetween(price, 1, 99_999_999) ||
      !isIntegerBetween(minimum, 1, 1_000_000) ||
      !isIntegerBetween(available, 0, 1_000_000) ||
      price * minimum < 50 ||
      !isIntegerBetween(description.length, 150, 600),
  );
  expect(broken.map(({ slug }) => slug)).toEqual([]);
});

test('the first three tools are in stock, and exactly one tool is sold out', () => {
  const soldOut = catalogue.map(({ minimum, available }) => available < minimum);
  expect(soldOut.slice(0, 3)).toEqual([false, false, false]);
  expect(soldOut.filter(Boolean)).toHaveLength(1);
});

test('the first sentence of a description is long enough for a card', () => {
  const short = catalogue.filter(({ description }) => description.indexOf('. ') < 60);
  expect(short.map(({ slug }) => slug)).toEqual([]);
});

test('every drawing is in the catalogue, and its measurements appear in the description', async () => {
  expect(catalogue.map(({ drawing }) => drawing).toSorted()).toEqual(Object.keys(tools).toSorted());
  for (const { drawing, description } of catalogue) {
    const source = await readFile(new URL(`drawings/${drawing}.ts`, import.meta.url), 'utf8');
    const measures = [...source.matchAll(/dimension\([^']*'(?:ø )?(\d+)'\)/g)].map(([, measure]) => measure);
    expect(measures.length, drawing).toBeGreaterThan(0);
    for (const measure of measures) expect(description, drawing).toMatch(new RegExp(`\\b${measure}\\b`));
  }
});

test('every review is valid and is about a tool', () => {
  for (const { name, tool, rating, text, drawing } of reviews) {
    expect(catalogue.map(({ slug }) => slug)).toContain(tool);
    expect(isIntegerBetween(rating, 1, 5), name).toBe(true);
    expect(isIntegerBetween(text.length, 60, 400), name).toBe(true);
    expect(plates, name).toHaveProperty([drawing]);
  }
  expect(new Set(reviews.map(({ name }) => name)).size).toBe(reviews.length);
});

test('drawings contain only paths and rectangles: no fonts, scripts, styles or external URLs', () => {
  for (const [stem, draw] of Object.entries(plates)) {
    const svg = draw();
    const elements = new Set([...svg.matchAll(/<([a-z]+)/gi)].map(([, element]) => element));
    expect([...elements].toSorted(), stem).toEqual(['path', 'rect', 'svg']);
    expect(svg.replace('http://www.w3.org/2000/svg', ''), stem).not.toMatch(/href|url\(|:\/\/|NaN|undefined/);
  }
});

test('every drawing is rendered at its full size', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plates-'));
  try {
    await renderDrawings(folder);
    for (const stem of Object.keys(plates)) {
      const webp = await readEncodedFiles(folder, stem);
      const { format, width, height } = await sharp(webp.at(-1)).metadata();
      expect(`${stem}: ${format} ${width}×${height}`).toBe(
        `${stem}: webp ${stem.startsWith('portrait-') ? '960×960' : '960×720'}`,
      );
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
