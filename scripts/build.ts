import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build as bundle, type Manifest as ViteManifest } from 'vite';
import type { Manifest } from '../contract/pages.ts';
import { getEntryFileName } from './built-name.ts';
import { fontFaceRules, subsetHeadingFont } from './fonts.ts';
import { createWebManifest, drawAppIcon, drawShareCard, drawTabIcon } from './icons.ts';
import { createStage, publish } from './publish.ts';

/** Where the browser's files are built before they are published to `dist/web`. */
const webStage = 'dist/next/web';

/** Builds the browser's files, the pages' server entry and the manifest into `dist/`. */
export async function build(): Promise<void> {
  process.env.NODE_ENV = 'production';
  createStage('web');
  const serverStage = createStage('server');
  await bundle({ build: { outDir: webStage } });
  const buildEntry = async (ssr: string) =>
    getEntryFileName(await bundle({ build: { ssr, outDir: serverStage, emptyOutDir: false } }));
  const entry = await buildEntry('web/entry-server.tsx');
  const mail = await buildEntry('web/entry-mail.tsx');
  const assets = await writeAssets(webStage);
  const { paths }: Pick<Manifest, 'paths'> = await import(pathToFileURL(resolve(serverStage, entry)).href);
  const manifest: Manifest = { ...describeBundle(webStage, assets), server: entry, mail, paths };
  await compress(webStage);
  publish(webStage, 'dist/web');
  publish(serverStage, 'dist/server');
  writeFileSync('dist/manifest.json', JSON.stringify(manifest));
}

type Assets = Pick<Manifest, 'files'> & { fonts: Record<'common' | 'rare', string> };

/** Writes the fonts, icons and other files that Vite doesn't build, and returns their URLs. */
export async function writeAssets(folder: string): Promise<Assets> {
  const subsets = await subsetHeadingFont();
  const fonts = {
    common: writeHashed(folder, 'newsreader.woff2', subsets.common),
    rare: writeHashed(folder, 'newsreader-rare.woff2', subsets.rare),
  };
  const files: Manifest['files'] = {};
  const write = (name: string, content: Uint8Array) => {
    files[name] = writeHashed(folder, name, content);
    return files[name];
  };
  write('icon.svg', readFileSync('web/drawings/icon.svg'));
  write('icon-32.png', await drawTabIcon(32));
  write('icon-180.png', await drawAppIcon(180));
  const small = write('icon-192.png', await drawAppIcon(192));
  const large = write('icon-512.png', await drawAppIcon(512));
  write('shop.webmanifest', Buffer.from(createWebManifest(small, large)));
  write('share.png', await drawShareCard());
  write('swagger-ui.css', readSwaggerFile('swagger-ui.css'));
  write('swagger-ui.js', readSwaggerFile('swagger-ui-bundle.js'));
  write('api-docs.js', readFileSync('web/api-docs.js'));
  return { fonts, files };
}

/** Reads a file of Swagger UI and removes the reference to its source map, which is not served. */
function readSwaggerFile(name: string): Buffer {
  const text = readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), 'utf8');
  return Buffer.from(text.replace(/\n(\/\/|\/\*)# sourceMappingURL=.*\n?$/, ''));
}

/** Writes a file under a URL that contains a hash of its content, so that it can be cached forever. */
function writeHashed(folder: string, name: string, content: Uint8Array): string {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
  const url = `/static/${name.replace(/(\.\w+)$/, `-${hash}$1`)}`;
  mkdirSync(dirname(join(folder, url)), { recursive: true });
  writeFileSync(join(folder, url), content);
  return url;
}

/** Describes what Vite has built into a folder, and moves the style sheets to their final names. */
export function describeBundle(
  folder: string,
  { fonts, files }: Assets,
): Omit<Manifest, 'server' | 'mail' | 'paths'> {
  const vite: ViteManifest = JSON.parse(readFileSync(`${folder}/.vite/manifest.json`, 'utf8'));
  const entry = vite['web/script-loader.ts'];
  const stylesheet = vite['web/entry-client.tsx']?.css?.[0];
  const allStyles = vite['web/all-styles.css']?.file;
  if (!entry || !stylesheet || !allStyles) throw new Error('The bundle has no entry or no style sheet.');
  const readStyles = (file: string) => fontFaceRules(fonts) + readFileSync(join(folder, file), 'utf8').trim();
  const styles = readStyles(stylesheet);
  const stylesUrl = writeHashed(folder, 'styles.css', Buffer.from(readStyles(allStyles)));
  // Remove Vite's style sheets, which lack the font rules and which nothing requests. Vite may have written both to one file.
  for (const file of new Set([stylesheet, allStyles])) rmSync(join(folder, file));

  const scriptsOf = (key: string): string[] => {
    const chunk = vite[key];
    if (!chunk) return [];
    return [`/${chunk.file}`, ...(chunk.imports ?? []).flatMap(scriptsOf)];
  };
  const pages: Manifest['pages'] = { root: scriptsOf('web/entry-client.tsx') };
  for (const key of Object.keys(vite)) {
    const id = /^web\/pages\/(.+)\.tsx$/.exec(key)?.[1];
    if (id) pages[id] = [...new Set(scriptsOf(key))];
  }
  pages.account = scriptsOf('web/components/layout/account.tsx');
  for (const id of [
    'dashboard',
    'forgot-password',
    'reset-password',
    'confirm-address',
    'sign-in/change-address',
    'contact',
    'newsletter',
    'newsletter/confirm',
    'newsletter/unsubscribe',
    'back-in-stock/stop',
  ])
    pages[id] = [...(pages[id] ?? []), ...scriptsOf('web/pages/dashboard/routes.ts')];
  rmSync(`${folder}/.vite`, { recursive: true });
  const stylesHash = createHash('sha256').update(styles).digest('base64');
  return {
    entry: `/${entry.file}`,
    font: fonts.common,
    styles,
    stylesHash,
    pages,
    files: { ...files, 'styles.css': stylesUrl },
  };
}

const gzipFile = promisify(gzip);
const brotliFile = promisify(brotliCompress);

/** Compresses text files once, at build time, at the highest level, on all processors. */
async function compress(folder: string): Promise<void> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    ['.js', '.css', '.svg', '.webmanifest'].includes(extname(name)),
  );
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGBLOCK]: 24 };
  await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      const content = readFileSync(file);
      writeFileSync(`${file}.gz`, await gzipFile(content, { level: 9 }));
      writeFileSync(`${file}.br`, await brotliFile(content, { params }));
    }),
  );
}

if (import.meta.main) await build();
