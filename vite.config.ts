import { resolve } from 'node:path';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import * as paths from './contract/paths.ts';
import { preservedCalls } from './scripts/preserved-calls.ts';

/**
 * Vite wraps every lazy import in a helper that also loads styles. Our lazy scripts import no styles, so the wrapper is
 * reduced to one line, which makes the home page's script 700 bytes smaller.
 */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) =>
    id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : undefined,
};

/**
 * When the first schema is created, Zod tests whether it may compile code. The security policy blocks that and the browser
 * reports a violation, so `jitless` is set where Zod defines its defaults. The build fails if that line is missing.
 */
const jitlessZod: Plugin = {
  name: 'jitless-zod',
  transform: {
    filter: { id: /zod\/v4\/core\/core\.js$/ },
    handler(code) {
      const changed = code.replace(/^export const globalConfig = .+;$/m, '$& globalConfig.jitless = true;');
      if (changed === code) this.error('zod no longer defines globalConfig in this way');
      return changed;
    },
  },
};

/**
 * A script contains whole modules: with one module for all calls, the home page would load the dashboard's. Therefore each
 * table of `contract/paths.ts` becomes a module of its own.
 */
const pathTables: Plugin = {
  name: 'path-tables',
  enforce: 'pre',
  resolveId: (id) => (id.startsWith(pathsFile) ? { id, moduleSideEffects: false } : undefined),
  load(id) {
    const [file, name] = id.split('?table=');
    if (file !== pathsFile) return undefined;
    const tables = Object.keys(paths).filter((key) => key.endsWith('Paths'));
    if (name === 'paths')
      return `import { ${tables} } from '${pathsFile}'; export const paths = { ...${tables.join(', ...')} };`;
    const value = Object.entries(paths).find(([key]) => key === name)?.[1];
    if (value) return `export const ${name} = ${JSON.stringify(value)};`;
    return Object.keys(paths)
      .map((key) => `export { ${key} } from '${pathsFile}?table=${key}';`)
      .join('\n');
  },
};
const pathsFile = resolve('contract/paths.ts');

/** Drawings have the same URLs in both builds. */
const assetFileNames = 'static/[name]-[hash][extname]';

/**
 * One configuration for two builds, both run by `scripts/build.ts`: the browser's scripts and styles, and the pages' server
 * entry as one file that includes React's production build.
 */
export default defineConfig(({ isSsrBuild }) => ({
  plugins: [react(), tailwind(), plainImports, jitlessZod, pathTables],
  // Selects React's production build at build time, whatever NODE_ENV the server runs with.
  define: { ...preservedCalls, 'process.env.NODE_ENV': '"production"' },
  publicDir: false,
  logLevel: 'warn',
  ssr: { noExternal: true, target: 'node' },
  build: isSsrBuild
    ? {
        target: 'esnext',
        assetsInlineLimit: 0,
        // A running shop that starts a thread after the next build needs its own version.
        rolldownOptions: {
          output: { entryFileNames: '[name]-[hash].js', assetFileNames, codeSplitting: false },
        },
      }
    : {
        manifest: true,
        modulePreload: false,
        assetsInlineLimit: 0,
        rolldownOptions: {
          optimization: { inlineConst: { mode: 'all' } },
          input: ['web/script-loader.ts', 'web/entry-client.tsx', 'web/all-styles.css'],
          output: {
            entryFileNames: 'static/js/[name]-[hash].js',
            chunkFileNames: 'static/js/[name]-[hash].js',
            assetFileNames,
            // The framework chunk changes only with a library's version, so it stays cached across releases.
            codeSplitting: {
              groups: [
                {
                  name: 'framework',
                  test: /node_modules\/(react|react-dom|react-router|scheduler)\/|rolldown\/runtime/,
                },
                // One file compresses better than a dozen small ones. It holds the layout and what the home page shows.
                {
                  name: 'common',
                  test: /web\/(shop|page-errors|(client|components|forms)\/([\w-]+\/)?(account-changes|account-parts|button|category-links|category-path|client|clock-hands|dom-fields|error-message|excerpt|field|follow-links|header|hydration|icon|layout|link|loading|logo|logo-shape|notice|offline|page-head|page-route|product-card|product-image|rating|review-card|route-context|route-error|section-heading|session|status-badge|table|toast|use-closing|viewer))\.tsx?$/,
                },
                // Modules that other pages share are also in few files, because each file costs a request.
                {
                  name: 'header',
                  test: /web\/(components\/(layout\/header-search|catalogue\/(in-basket|use-suggestions))|client\/(basket-quantities|shortcuts))\.tsx?$/,
                },
                {
                  name: 'lists',
                  test: /(contract\/(text|catalogue\/product-sorts|admin\/health-format)|web\/(client\/(route-access|find-orders|api\/(api-errors|idempotency))|components\/(moment|more-link|page-heading|feedback\/empty-state|reviews\/average-rating)|forms\/(search-box|use-search-form)))\.tsx?$/,
                },
                {
                  name: 'forms',
                  test: /web\/(components\/(stepper|promises)|pages\/purchase\/order|client\/(open-document|use-intersection)|forms\/(draft|error-summary|form-results|form-validation|kept-input|page-form|submitted|use-button-form|use-page-form|use-rejected-form|fields\/(hidden-fields|key-field|error-message|address-field|delivery-fields|password-field)))\.tsx?$/,
                },
                {
                  name: 'tool',
                  test: /web\/(components\/(catalogue\/(breadcrumbs|gallery|large-view)|reviews\/(review-image|shop-answer|product-review))|pages\/purchase\/(product-view|specification))\.tsx?$/,
                },
              ],
            },
          },
        },
      },
}));
