import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build as bundle, loadConfigFromFile, mergeConfig, type Plugin, type UserConfig } from 'vite';
import type { Manifest } from '../../contract/pages.ts';
import { shutdownSignals } from '../../server/config/signals.ts';
import { describeBundle, writeAssets } from '../build.ts';
import { getEntryFileName } from '../built-name.ts';
import { bundleProgram, programs, replaceText } from '../bundle.ts';

/**
 * `npm run dev`: serves the shop and watches its sources. After a change it builds what has changed, unminified, restarts the
 * server and reloads open pages. The builds are in a folder of their own, which tests and `npm start` don't use.
 */

const folder = 'dist/dev';
const webFolder = join(folder, 'web');
const serverFolder = join(folder, 'server');
const shopFolder = join(folder, 'shop');

type Part = 'scripts' | 'pages' | 'server';

/** The parts to build after a change in each folder. */
const watched: [folder: string, parts: Part[]][] = [
  ['web', ['scripts', 'pages']],
  ['contract', ['scripts', 'pages', 'server']],
  ['server', ['server']],
  ['sandbox', ['server']],
  ['seed', ['server']],
];

/** Adds `reload.ts` to all pages, by importing it in two modules of which every page loads one. */
const reloadPages: Plugin = {
  name: 'reload-pages',
  transform: {
    filter: { id: /\/web\/(script-loader\.ts|entry-client\.tsx)$/ },
    handler: (code) => `${code}\nimport ${JSON.stringify(resolve('scripts/dev/reload.ts'))};`,
  },
};

/** Vite's configurations, kept between builds so that Tailwind scans only what has changed. */
const configs = new Map<'scripts' | 'pages', UserConfig>();

/** Builds with the settings of `vite.config.ts`, but unminified. */
async function bundleUnminified(kind: 'scripts' | 'pages', { build, plugins = [] }: UserConfig) {
  const env = { command: 'build', mode: 'production', isSsrBuild: kind === 'pages' } as const;
  const config = configs.get(kind) ?? (await loadConfigFromFile(env))?.config ?? {};
  configs.set(kind, config);
  const options = { emptyOutDir: false, minify: false, cssMinify: false, ...build };
  return bundle(mergeConfig(config, { configFile: false, plugins, build: options }));
}

const manifest: Partial<Manifest> = {
  // Only metrics need the paths, to name pages.
  paths: {},
};

const builds: Record<Part, () => Promise<void>> = {
  /** The browser's scripts and styles. */
  async scripts() {
    await bundleUnminified('scripts', { plugins: [reloadPages], build: { outDir: webFolder } });
    Object.assign(manifest, describeBundle(webFolder, assets));
  },
  /** The pages and messages, which the server renders. */
  async pages() {
    const buildEntry = async (ssr: string) =>
      getEntryFileName(await bundleUnminified('pages', { build: { ssr, outDir: serverFolder } }));
    manifest.server = await buildEntry('web/entry-server.tsx');
    manifest.mail = await buildEntry('web/entry-mail.tsx');
  },
  async server() {
    await bundleProgram({
      input: ['scripts/dev/server.ts', ...programs.map(({ program }) => program)],
      // The server starts its programs by their names in the sources.
      entryFileNames: '[name].ts',
      outDir: shopFolder,
      plugins: [replaceText("'dist'", `'${folder}'`, /\/server\/start\.ts$/)],
      withPackages: false,
    });
  },
};

// Copied before the builds, because Vite sets NODE_ENV, which the server must not get.
const environment = { ...process.env, NODE_COMPILE_CACHE: resolve('node_modules/.cache/node') };
rmSync(folder, { recursive: true, force: true });
mkdirSync(shopFolder, { recursive: true });
const assets = await writeAssets(webFolder);

const outdated = new Set<Part>(['scripts', 'pages', 'server']);
let changed = Promise.withResolvers<void>();
for (const [name, parts] of watched)
  watch(name, { recursive: true }, (_, file) => {
    if (!file || !/\.(tsx?|css|svg)$/.test(file) || file.endsWith('.test.ts')) return;
    if (name === 'contract') configs.clear();
    for (const part of parts) if (!(part === 'pages' && file.endsWith('.css'))) outdated.add(part);
    changed.resolve();
  });

let server: ChildProcess | undefined;
let stopping = false;
for (const signal of shutdownSignals)
  process.on(signal, async () => {
    stopping = true;
    await stopServer();
    process.exit(0);
  });

for (;;) {
  changed = Promise.withResolvers();
  const began = performance.now();
  if (await buildOutdated()) {
    await stopServer();
    startServer();
    console.log(`Built in ${Math.round(performance.now() - began)} ms.`);
  }
  await changed.promise;
  // Wait, because editors write a file in several steps.
  await delay(20);
}

/** Returns false after it has printed the errors. The failed parts are built again after the next change. */
async function buildOutdated(): Promise<boolean> {
  const parts = [...outdated];
  outdated.clear();
  const results = await Promise.allSettled(parts.map((part) => builds[part]()));
  const failed = parts.filter((_, index) => results[index]?.status === 'rejected');
  for (const part of failed) outdated.add(part);
  const messages = results.flatMap((result) =>
    result.status === 'rejected'
      ? [result.reason instanceof Error ? result.reason.message : result.reason]
      : [],
  );
  // Two parts report the same error if a module is in both.
  for (const message of new Set(messages)) console.error(`\n${message}`);
  if (failed.length > 0) console.error('\nThe running server keeps the last build that succeeded.');
  return failed.length === 0;
}

function startServer(): void {
  if (stopping) return;
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  // `reload.ts` in open pages polls this file. The old server has stopped, so pages see the change only once the new one runs.
  writeFileSync(join(webFolder, 'static', 'build.txt'), `${Date.now()}`);
  const child = spawn(process.execPath, [join(shopFolder, 'server.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: environment,
  });
  server = child;
  child.once('exit', (code, signal) => {
    if (server !== child) return;
    server = undefined;
    console.error(`The server ended (${signal ?? code}). It starts again after the next change.`);
  });
}

async function stopServer(): Promise<void> {
  const child = server;
  if (!child) return;
  server = undefined;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  // An endless loop ignores signals.
  const timer = setTimeout(() => child.kill('SIGKILL'), 3000);
  await ended;
  clearTimeout(timer);
}
