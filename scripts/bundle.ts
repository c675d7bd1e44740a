import { basename } from 'node:path';
import { build as bundle, type Plugin } from 'vite';
import { getEntryFileName } from './built-name.ts';
import { preservedCalls } from './preserved-calls.ts';
import { createStage, publish } from './publish.ts';

/**
 * Packages that are not bundled: native ones, those that start threads from their own files, and rarely used ones. Pino
 * starts threads only for transports, which the shop doesn't use.
 */
const external = ['sharp', 'pg', 'piscina', 'oidc-provider', '@bwip-js/node'];

/** The programs that the server runs in threads and child processes, and the module that starts each. */
export const programs = [
  { program: 'server/pages/render-thread.ts', startedBy: /\/pages\/renderer\.ts$/ },
  { program: 'server/shop/images/decoder/decoder-program.ts', startedBy: /\/decoder\/decoder-process\.ts$/ },
];

/**
 * Bundles the server and its packages into a few files in `dist/shop`. One module instead of 600, without unused code,
 * saves a third of the start time and of the memory. `node server/main.ts` runs the same from source.
 */
export async function build(): Promise<void> {
  const stage = createStage('shop');
  const plugins: Plugin[] = [];
  for (const { program, startedBy } of programs) {
    const built = getEntryFileName(
      await bundleProgram({ input: [program], entryFileNames: '[name]-[hash].js', outDir: stage }),
    );
    // A running shop may start the program after the next build, and then needs the program of its own version. So the name
    // contains a content hash.
    plugins.push(replaceText(basename(program), built, startedBy));
  }
  // Tests start the shop through `test-exports.ts`, which shares one chunk with `main.ts`.
  await bundleProgram({
    input: ['server/main.ts', 'scripts/test-exports.ts'],
    entryFileNames: '[name].js',
    outDir: stage,
    plugins,
  });
  publish(stage, 'dist/shop');
}

/** Replaces every occurrence of a text in a module, also in imports of types. The build fails if the module doesn't contain it. */
export function replaceText(text: string, replacement: string, module: RegExp): Plugin {
  return {
    name: `replace ${text}`,
    // Before the types are stripped.
    enforce: 'pre',
    transform: {
      filter: { id: module },
      handler(code) {
        if (!code.includes(text)) throw new Error(`The server does not contain ${text}.`);
        return code.replaceAll(text, replacement);
      },
    },
  };
}

type Program = {
  input: string[];
  entryFileNames: string;
  outDir: string;
  plugins?: Plugin[];
  /** Whether the bundle includes the packages. */
  withPackages?: boolean;
};

/** Bundles a program for Node. Separate programs share no chunks. */
export function bundleProgram({ input, entryFileNames, outDir, plugins = [], withPackages = true }: Program) {
  return bundle({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins,
    define: preservedCalls,
    ssr: withPackages ? { noExternal: true, external } : {},
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: 'esnext',
      // Keep function names and lines in logged stack traces readable.
      minify: false,
      rolldownOptions: { input, output: { entryFileNames, chunkFileNames: '[name]-[hash].js' } },
    },
  });
}
