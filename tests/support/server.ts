import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a command of package.json, as `runProgram`. */
export function runCommand(args: string[], settings: Record<string, string> = {}) {
  return runProgram(process.execPath, ['scripts/run.mjs', ...args], settings);
}

/**
 * Runs a program as a process of its own, with these settings and none of the tester's. What is still running
 * at the end of the test is killed.
 */
export function runProgram(program: string, args: string[], settings: Record<string, string>) {
  const { PATH = '', SystemRoot = '' } = process.env;
  const child = spawn(program, args, {
    cwd: root,
    env: { PATH, SystemRoot, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  // `close` comes when all that it said has been read.
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
    ...said,
  }));
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  onTestFinished(async () => {
    await kill('SIGKILL');
  });

  return {
    pid: child.pid,
    said,
    /** Exit code or signal, and all that it said. */
    ended,
    kill,
    /** Resolves at the first line on stdout; rejects where the command ends without one. */
    async firstLine(): Promise<string> {
      while (!said.out.includes('\n')) {
        const next = await Promise.race([once(child.stdout, 'data'), ended]);
        if (!Array.isArray(next)) throw new Error(`It ended with ${next.code}: ${next.err}`);
      }
      return said.out.slice(0, said.out.indexOf('\n'));
    },
  };
}

/** What `npm start` runs; `npm test` has built it. */
export const builtShop = 'dist/shop/main.js';

/** The shop as `npm start` runs it, once it is open. */
export async function startServer(settings: { DATA_DIR: string; PORT: string } & Record<string, string>) {
  const command = runCommand(['--lean', builtShop], settings);
  await command.firstLine();
  return { ...command, origin: `http://localhost:${settings.PORT}` };
}
