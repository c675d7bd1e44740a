import { basename } from 'node:path';
import { build as bundle, type Plugin } from 'vite';
import { getEntryFileName } from './built-name.ts';
import { preservedCalls } from './preserved-calls.ts';
import { createStage, publish } from './publish.ts';

/**
 * Packages that stay where they are: native ones, those that start threads from files of their own, and those that
 * are seldom wanted.
 */
const outside = ['sharp', 'pg', 'pino', 'piscina', 'oidc-provider'];

/** The programs that the server runs in separate threads and processes, and the file that names each. */
const programs = [
  { program: 'server/pages/render-thread.ts', startedBy: /\/pages\/renderer\.ts$/ },
  { program: 'server/shop/images/decoder-program.ts', startedBy: /\/images\/decoder-process\.ts$/ },
];

/**
 * Puts the server and its packages into few files, `dist/shop`: of 600 modules that are found, read and linked one
 * by one it makes one, and leaves out what nobody uses of them, a third of the start and of the memory after it.
 * `node server/main.ts` runs the same from the sources.
 */
export async function build(): Promise<void> {
  const stage = createStage('shop');
  const plugins: Plugin[] = [];
  for (const { program, startedBy } of programs) {
    const built = getEntryFileName(
      await bundleProgram({ input: [program], names: '[name]-[hash].js', outDir: stage }),
    );
    plugins.push(nameProgram(basename(program), built, startedBy));
  }
  // The tests start the shop through `parts.ts`: it shares all of the shop's code with `main.ts`, in one chunk.
  await bundleProgram({
    input: ['server/main.ts', 'server/test-exports.ts'],
    names: '[name].js',
    outDir: stage,
    plugins,
  });
  publish(stage, 'dist/shop');
}

/**
 * Replaces a program's name with its built name, which contains a hash of its content: a running shop that starts the
 * program after the next build still needs the version it was built with.
 */
function nameProgram(source: string, built: string, startedBy: RegExp): Plugin {
  return {
    name: source,
    transform: {
      filter: { id: startedBy },
      handler(code) {
        if (!code.includes(source)) throw new Error(`The server does not name ${source}.`);
        return code.replace(source, built);
      },
    },
  };
}

type Program = { input: string[]; names: string; outDir: string; plugins?: Plugin[] };

/** Bundles a program for Node. Separate programs share no chunks. */
export function bundleProgram({ input, names, outDir, plugins = [] }: Program) {
  return bundle({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins,
    define: preservedCalls,
    ssr: { noExternal: true, external: outside },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: 'esnext',
      // What it logs of an error names functions and lines that a person can find.
      minify: false,
      rolldownOptions: { input, output: { entryFileNames: names, chunkFileNames: '[name]-[hash].js' } },
    },
  });
}
