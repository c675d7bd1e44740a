import { build as bundle } from 'vite';
import { emptyStage, publish } from './publish.ts';

/**
 * Packages that stay where they are: native ones, one that starts threads from files of its own, and those that
 * are seldom wanted.
 */
const outside = ['sharp', 'pg', 'pino', 'oidc-provider'];

/**
 * Puts the server and its packages into few files, `dist/shop`: of 600 modules that are found, read and linked one
 * by one it makes one, and leaves out what nobody uses of them, a third of the start and of the memory after it.
 * `node server/main.ts` runs the same from the sources.
 */
export async function build(): Promise<void> {
  const stage = emptyStage('shop');
  // One by one: together they would share their parts, in files of their own.
  for (const program of ['server/main.ts', 'server/pages/render-thread.ts'])
    await bundle({
      configFile: false,
      logLevel: 'warn',
      publicDir: false,
      ssr: { noExternal: true, external: outside },
      build: {
        ssr: program,
        outDir: stage,
        emptyOutDir: false,
        target: 'esnext',
        // What it logs of an error names functions and lines that a person can find.
        minify: false,
        rolldownOptions: { output: { chunkFileNames: '[name]-[hash].js' } },
      },
    });
  publish(stage, 'dist/shop');
}
