import { sql } from 'kysely';
import type { Db, Engine } from '../server/database/schema.ts';

const nouns =
  'winder puller vise tweezers pliers hammer broach reamer file burnisher loupe oiler stand clamp key gauge caliper screwdriver arbor bushing mandrel punch anvil stake saw brush buff graver chuck collet lathe drill tap die wrench spanner cutter scraper blade holder block plate frame spring tool extractor setter lifter press truer poising roller jig rest tray case lamp magnet scale scribe square ruler level rule compass divider trammel bit hook rod pin peg stick cord chain rope cable bell gong wheel'.split(
    ' ',
  );
const kinds =
  'mainspring pivot hand dial clock watch movement barrel escapement pallet balance hairspring pendulum suspension click ratchet crown pinion jewel crystal bezel case strap chime strike cannon center minute hour second regulator verge anchor fusee cuckoo carriage mantel wall bracket longcase tower turret marine pocket wrist'.split(
    ' ',
  );
const materials =
  'brass steel beech boxwood nickel chrome carbide bronze copper aluminium ebony rosewood nylon leather'.split(
    ' ',
  );
const syllables =
  'ba ker lo mi ne ru sta tor vel win zen gra hol jen ki lan mor nor pel quin ros sel tan ul ver wex yar zol dra fen'.split(
    ' ',
  );
const filler =
  'for the with and of a in set hardened polished knurled adjustable fine strong small large long turned ground made every bench work repair handle jaws tip edge body base screw lets you hold turn press lift clean adjust without marking smooth steady grip tempered hand finished'.split(
    ' ',
  );

const currencyCents = 100;
const productsPerMillisecond = 1000;

/** A pseudorandom number below 1 for each `n`, the same in every run (Mulberry32). */
function random(n: number): number {
  let t = (n + 0x6d2b79f5) | 0;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

/** Picks a word of a list. Words early in the list are more common than later ones. */
const pick = (words: string[], n: number): string => words[Math.floor(words.length * random(n) ** 2)] ?? '';

/** One of 27,000 brand names. */
const brand = (n: number): string => [1, 2, 3].map((at) => pick(syllables, n + at)).join('');

/** Of twenty categories, the first has a tenth of the products, and the last has one product in a thousand. */
export const categoryOf = (n: number): string => {
  const share = random(n * 7 + 5);
  if (share < 0.001) return 'Rarities';
  if (share < 0.101) return 'Winding';
  return `Category ${String.fromCharCode(65 + Math.floor(random(n * 7 + 6) * 18))}`;
};

/** Product `n` of the catalogue: a tenth is sold out, one in fifty archived. */
function describeProduct(n: number) {
  const seed = n * 101;
  const size = Math.floor(random(seed + 1) * 80) / 2 + 1;
  const article = String(Math.floor(random(seed + 2) * 1e8)).padStart(8, '0');
  const name = `${pick(materials, seed + 3)} ${pick(kinds, seed + 4)} ${pick(nouns, seed + 5)}, ${size} mm`;
  const words = Array.from({ length: 16 }, (_, index) => pick(filler, seed + 20 + index));
  words.splice(4, 0, pick(kinds, seed + 40), pick(nouns, seed + 41), pick(materials, seed + 42));
  return {
    id: `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`,
    name: `${name[0]?.toUpperCase()}${name.slice(1)}${n % 2 ? `, no. ${article}` : ''}`,
    description: `By ${brand(seed + 50)}: ${words.join(' ')}.`,
    price: Math.floor(random(seed + 6) * 500 * currencyCents) + currencyCents,
    available: n % 10 === 3 ? 0 : Math.floor(random(seed + 7) * 200) + 1,
    category: categoryOf(n),
    archived_at: n % 50 === 7 ? 1 : null,
    created_at: Math.floor(n / productsPerMillisecond),
  };
}

const batchSize = 5000;

/** Adds the products from `from` up to, but not including, `to`. */
export async function insertCatalogue(db: Db, engine: Engine, to: number, from = 0): Promise<void> {
  for (let index = from; index < to; index += batchSize) {
    const rows = Array.from({ length: Math.min(batchSize, to - index) }, (_, row) =>
      describeProduct(index + row),
    );
    const field = (name: string, type: string) =>
      sql.raw(
        engine === 'sqlite' ? `json_extract(value, '$.${name}')` : `cast(value ->> '${name}' as ${type})`,
      );
    const list =
      engine === 'sqlite'
        ? sql`json_each(${JSON.stringify(rows)})`
        : sql`jsonb_array_elements(cast(${JSON.stringify(rows)} as jsonb)) as value`;
    await sql`insert into product
        (id, name, description, price, available, category, archived_at, created_at, image, minimum)
      select ${field('id', 'text')}, ${field('name', 'text')}, ${field('description', 'text')},
        ${field('price', 'bigint')}, ${field('available', 'bigint')}, ${field('category', 'text')},
        ${field('archived_at', 'bigint')}, ${field('created_at', 'bigint')}, '/images/none', 1
      from ${list}`.execute(db);
  }
}
