import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { newFields } from '../contract/catalogue/product-schemas.ts';
import { catalogue, listFurtherImages } from './catalogue.ts';
import { listImageWidths } from './image-widths.ts';
import { reviews } from './reviews.ts';

const folder = fileURLToPath(new URL('images/', import.meta.url));

/** The measurements that the images of each tool show, in millimetres. */
const measurements: Record<string, number[]> = {
  'bushing-set': [90],
  'depthing-tool': [150, 85],
  'eyeglass-loupe': [26, 34],
  'hand-puller': [62, 3],
  'let-down-keys': [130],
  'mainspring-clamps': [55],
  'mainspring-winder': [200],
  'movement-stand': [250, 165],
  'oiler-stand': [115],
  'parallel-pliers': [140],
  pegwood: [150],
  'pin-vise-set': [95],
  'pivot-burnisher': [190, 10, 3],
  'riveting-hammer': [200, 19],
  'screwdriver-set': [110],
  'smoothing-broaches': [95],
  'star-key': [70, 5],
  'truing-callipers': [90],
  tweezers: [130, 11],
};

const isIntegerBetween = (value: number, low: number, high: number) =>
  Number.isInteger(value) && value >= low && value <= high;

test('names, slugs and images are unique', () => {
  for (const field of ['name', 'slug', 'image'] as const) {
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

test('the measurements in the images of a tool appear in its description', () => {
  expect(catalogue.map(({ image }) => image).toSorted()).toEqual(Object.keys(measurements));
  for (const { image, description } of catalogue)
    for (const measure of measurements[image] ?? [])
      expect(description, image).toMatch(new RegExp(`\\b${measure}\\b`));
});

test('every tool has three to five facts, whose numbers are in its name or description', () => {
  for (const { slug, name, description, facts } of catalogue) {
    expect(isIntegerBetween(facts.length, 3, 5), slug).toBe(true);
    const text = facts.join('\n');
    expect(newFields.facts.parse(text)).toBe(text);
    const known = `${name} ${description}`.match(/[\d.]*\d/g);
    for (const number of text.match(/[\d.]*\d/g) ?? []) expect(known, slug).toContain(number);
  }
});

test('every review is valid and is about a tool', () => {
  for (const { name, tool, rating, text } of reviews) {
    expect(catalogue.map(({ slug }) => slug)).toContain(tool);
    expect(isIntegerBetween(rating, 1, 5), name).toBe(true);
    expect(isIntegerBetween(text.length, 60, 400), name).toBe(true);
  }
  expect(new Set(reviews.map(({ name }) => name)).size).toBe(reviews.length);
});

test('there is an image of each tool, of a detail of it, of its use and of each reviewer in each width, and no other file', async () => {
  const names = [...catalogue, ...reviews].map(({ image }) => image);
  names.push(...catalogue.flatMap(({ image }) => listFurtherImages(image)));
  const files = [...new Set(names)].flatMap((name) =>
    listImageWidths(name).map((width) => `${name}-${width}.webp`),
  );
  expect((await readdir(folder)).toSorted()).toEqual(files.toSorted());
  for (const file of files) {
    const [, width] = /-(\d+)\.webp$/.exec(file) ?? [];
    const height = file.startsWith('portrait-') ? Number(width) : (Number(width) * 3) / 4;
    expect(await sharp(folder + file).metadata(), file).toMatchObject({
      format: 'webp',
      width: Number(width),
      height,
    });
  }
});
