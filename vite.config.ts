import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { preservedCalls } from './scripts/preserved-calls.ts';

/**
 * Vite wraps every lazy import in a helper that also fetches styles. Ours stand in the page, so the wrapper is
 * one line and the home page's script 700 bytes smaller.
 */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) =>
    id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : undefined,
};

/**
 * Zod tests whether it may compile code when the first schema is created. The security policy blocks that and the browser
 * reports it, so the option is set where Zod defines its defaults. The build fails if that line is missing.
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
 * One configuration, two builds (`scripts/build.ts` runs both, and says where to): the browser's scripts and styles,
 * and the pages' server entry as one file with React's production build inside.
 */
export default defineConfig(({ isSsrBuild }) => ({
  plugins: [react(), tailwind(), plainImports, jitlessZod],
  // React chooses its build by this word when it is bundled, not by the environment that the server starts in.
  define: { ...preservedCalls, 'process.env.NODE_ENV': '"production"' },
  publicDir: false,
  logLevel: 'warn',
  ssr: { noExternal: true, target: 'node' },
  build: isSsrBuild
    ? {
        target: 'esnext',
        // A running shop that opens a thread after the next build needs the one that it began with.
        rolldownOptions: { output: { entryFileNames: '[name]-[hash].js', codeSplitting: false } },
      }
    : {
        manifest: true,
        modulePreload: false,
        cssCodeSplit: false,
        assetsInlineLimit: 0,
        rolldownOptions: {
          input: ['web/script-loader.ts', 'web/entry-client.tsx'],
          output: {
            entryFileNames: 'static/js/[name]-[hash].js',
            chunkFileNames: 'static/js/[name]-[hash].js',
            assetFileNames: 'static/[name]-[hash][extname]',
            // Changes with a library's version only, so a release leaves it in the visitor's cache.
            codeSplitting: {
              groups: [
                {
                  name: 'framework',
                  test: /node_modules\/(react|react-dom|react-router|scheduler)\//,
                },
                // One file compresses better than a dozen small ones; it holds what the home page shows.
                {
                  name: 'catalogue',
                  test: /web\/(components|forms)\/([\w-]+\/)?(button|clock-hands|excerpt|field|link|notice|page-head|picture|product-card|rating|error-message|review-card|section-heading|icon|status-badge|table)\.tsx?$/,
                },
              ],
            },
          },
        },
      },
}));
