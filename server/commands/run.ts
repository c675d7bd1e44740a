import { type Config, readConfig } from '../config.ts';
import { tell } from '../errors.ts';

/**
 * Runs a command with the shop's settings and what stands behind its name, and prints what it says. What it cannot do
 * it says in one sentence, with exit code 1.
 */
export async function runWithSettings(
  work: (config: Config, args: string[]) => Promise<string>,
): Promise<void> {
  try {
    process.umask(0o077);
    process.stdout.write(`${await work(readConfig(), process.argv.slice(2))}\n`);
  } catch (error) {
    process.stderr.write(`${tell(error)}\n`);
    process.exitCode = 1;
  }
}
