import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build as bundle, type Manifest as ViteManifest } from 'vite';
import type { Manifest } from '../contract/pages.ts';
import { renderDrawings } from '../seed/render-drawings.ts';
import { getEntryFileName } from './built-name.ts';
import { drawMovement } from './drawings/movement.ts';
import { faceRules, subsetHeadingFont } from './fonts.ts';
import { describeApp, drawAppIcon, drawShareCard, drawTabIcon } from './icons.ts';
import { createStage, publish } from './publish.ts';

/** Where the browser's files are built, before they are served from `dist/web`. */
const web = 'dist/next/web';

/** Builds what the server serves, into `dist/`: the browser's files, the pages' server entry, the manifest. */
export async function build(): Promise<void> {
  process.env.NODE_ENV = 'production';
  createStage('web');
  const server = createStage('server');
  await bundle({ build: { outDir: web } });
  const entry = getEntryFileName(await bundle({ build: { ssr: 'web/entry-server.tsx', outDir: server } }));
  const faces = await subsetHeadingFont();
  const fonts = {
    common: keep('newsreader.woff2', faces.common),
    rare: keep('newsreader-rare.woff2', faces.rare),
  };
  const { paths }: Pick<Manifest, 'paths'> = await import(pathToFileURL(resolve(server, entry)).href);
  const manifest: Manifest = { ...describe(fonts, await keepPictures()), server: entry, paths };
  compress(web);
  publish(web, 'dist/web');
  publish(server, 'dist/server');
  writeFileSync('dist/manifest.json', JSON.stringify(manifest));
  await renderDrawings('dist/pictures');
}

async function keepPictures(): Promise<Manifest['files']> {
  const files: Manifest['files'] = {};
  const put = (name: string, content: Uint8Array) => {
    files[name] = keep(name, content);
    return files[name];
  };
  put('movement.svg', Buffer.from(drawMovement()));
  put('icon.svg', readFileSync('web/drawings/icon.svg'));
  put('icon-32.png', await drawTabIcon(32));
  put('icon-180.png', await drawAppIcon(180));
  const small = put('icon-192.png', await drawAppIcon(192));
  const large = put('icon-512.png', await drawAppIcon(512));
  put('shop.webmanifest', Buffer.from(describeApp(small, large)));
  put('share.png', await drawShareCard());
  put('swagger-ui.css', readSwagger('swagger-ui.css'));
  put('swagger-ui.js', readSwagger('swagger-ui-bundle.js'));
  put('api-docs.js', readFileSync('web/api-docs.js'));
  return files;
}

const readSwagger = (name: string) =>
  readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)));

/** Puts a file under an address that changes with its content, so that it can be kept for ever. */
function keep(name: string, content: Uint8Array): string {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
  const address = `/static/${name.replace(/(\.\w+)$/, `-${hash}$1`)}`;
  mkdirSync(dirname(join(web, address)), { recursive: true });
  writeFileSync(join(web, address), content);
  return address;
}

function describe(
  fonts: Record<'common' | 'rare', string>,
  files: Manifest['files'],
): Omit<Manifest, 'server' | 'paths'> {
  const vite: ViteManifest = JSON.parse(readFileSync(`${web}/.vite/manifest.json`, 'utf8'));
  const entry = vite['web/script-loader.ts'];
  const sheet =
    Object.values(vite).find(({ file }) => file.endsWith('.css'))?.file ??
    vite['web/entry-client.tsx']?.css?.[0];
  if (!entry || !sheet) throw new Error('The bundle has no entry or no style sheet.');
  const styles = faceRules(fonts) + readFileSync(join(web, sheet), 'utf8').trim();

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
  // The sheet stands in every page and is asked for by none.
  rmSync(join(web, sheet));
  rmSync(`${web}/.vite`, { recursive: true });
  const stylesHash = createHash('sha256').update(styles).digest('base64');
  return {
    ...{ entry: `/${entry.file}`, font: fonts.common, styles, stylesHash, pages },
    files,
  };
}

/** Text is compressed once, here, as well as it can be. */
function compress(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!['.js', '.css', '.svg', '.webmanifest'].includes(extname(name))) continue;
    const file = join(folder, name);
    const content = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    );
  }
}

if (import.meta.main) await build();
