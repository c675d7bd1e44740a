import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a script of this project like `runProgram`. */
export function runCommand(args: string[], settings: Record<string, string> = {}) {
  return runProgram(process.execPath, ['scripts/run.mjs', ...args], settings);
}

/**
 * Runs a program in a child process with only these settings as its environment. It is killed at the end of the test.
 */
export function runProgram(program: string, args: string[], settings: NodeJS.ProcessEnv, cwd = root) {
  const { PATH = '', SystemRoot = '' } = process.env;
  const child = spawn(program, args, {
    cwd,
    env: { PATH, SystemRoot, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text;
  });
  // Unlike `exit`, `close` follows the last output.
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
    ...output,
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
    output,
    /** Resolves to the exit code or signal, and the complete output. */
    ended,
    kill,
    /** Resolves to the first line on stdout. Rejects if the program exits without one. */
    async firstLine(): Promise<string> {
      while (!output.out.includes('\n')) {
        const next = await Promise.race([once(child.stdout, 'data'), ended]);
        if (!Array.isArray(next)) throw new Error(`The program exited with ${next.code}: ${next.err}`);
      }
      return output.out.slice(0, output.out.indexOf('\n'));
    },
  };
}

/** The script that `npm start` runs. `npm test` builds it. */
export const builtServerPath = 'dist/shop/main.js';

/** Starts the shop as `npm start` does, and waits until it listens. */
export async function startServer(settings: { DATA_DIR: string; PORT: string } & Record<string, string>) {
  const command = runCommand(['--lean', builtServerPath], settings);
  await command.firstLine();
  return { ...command, origin: `http://localhost:${settings.PORT}` };
}
