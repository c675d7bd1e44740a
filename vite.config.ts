import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { keptCalls } from './scripts/kept-calls.ts';

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

/** Changes one file of a package in the browser's build. The build fails if the package has no such file. */
function changePackage(name: string, file: RegExp, change: (code: string) => string): Plugin {
  let met = false;
  return {
    name,
    applyToEnvironment: ({ name }) => name === 'client',
    buildStart() {
      met = false;
    },
    transform: {
      filter: { id: file },
      handler(code) {
        met = true;
        return change(code);
      },
    },
    buildEnd(error) {
      if (!error && !met) throw new Error(`${name}: there is no ${file} any more`);
    },
  };
}

/** As `replaceAll`; throws where there is nothing to replace. */
function replaceSome(code: string, found: RegExp, by: string): string {
  const replaced = code.replaceAll(found, by);
  if (replaced === code) throw new Error(`there is no ${found} any more`);
  return replaced;
}

/**
 * The router makes and names its components by statements, and those keep its own `Link`, `NavLink` and `Form`, with a
 * framework's prefetching behind them, in every page although `components/link.tsx` stands in their place.
 */
const namelessRouter = changePackage(
  'nameless-router',
  /react-router\/dist\/production\/lib\/dom\/lib\.js$/,
  (code) =>
    replaceSome(
      replaceSome(code, /^\w+\.displayName = .+;$/gm, ''),
      /= (React\$1\.forwardRef\()/g,
      '= /* @__PURE__ */ $1',
    ),
);

const instrumentation = [
  'consumeInstrumentationClientResultMetaReceiver',
  'getRouteInstrumentationUpdates',
  'instrumentClientSideRouter',
  'instrumentHandler',
  'instrumentationResultMetaContext',
];

/** The router can tell others what it does; nobody asks it to, and it is 1 KB of every page. */
const silentRouter = changePackage(
  'silent-router',
  /react-router\/dist\/production\/lib\/router\/instrumentation\.js$/,
  (code) => {
    const exported = (code.match(/^export .+$/gm) ?? []).join();
    // One that is new may be needed.
    if (exported !== `export { ${instrumentation.join(', ')} };`)
      throw new Error(`the router has ${exported}`);
    return `const none = () => undefined; export { ${instrumentation.map((name) => `none as ${name}`)} };`;
  },
);

/**
 * Zod checks whether it may compile code. The security policy blocks that and the browser reports it, so Zod is configured
 * before any module creates a schema.
 */
const evalFreeZod = changePackage('eval-free-zod', /zod\/v4\/core\/core\.js$/, (code) =>
  replaceSome(code, /^export const globalConfig = .+;$/gm, '$& globalConfig.jitless = true;'),
);

/**
 * One configuration, two builds (`scripts/build.ts` runs both, and says where to): the browser's scripts and styles,
 * and the pages' server entry as one file with React's production build inside.
 */
export default defineConfig(({ isSsrBuild }) => ({
  plugins: [react(), tailwind(), plainImports, namelessRouter, silentRouter, evalFreeZod],
  // React chooses its build by this word when it is bundled, not by the environment that the server starts in.
  define: { ...keptCalls, 'process.env.NODE_ENV': '"production"' },
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
          input: ['web/begin.ts', 'web/entry-client.tsx', 'web/api-docs/try.ts'],
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
                  test: /web\/components\/(button|clock-hands|excerpt|field|link|notice|page-head|picture|product-card|rating|refusal|review-card|section-heading|sign|status-badge|table)\.tsx?$/,
                },
              ],
            },
          },
        },
      },
}));
