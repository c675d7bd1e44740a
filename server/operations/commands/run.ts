import { type Config, readConfig } from '../../config/config.ts';
import { toOperatorMessage } from '../operator-message.ts';

/** Runs a command with the settings and its arguments, and prints its result, or a one-sentence error with exit code 1. */
export async function runCommand(work: (config: Config, args: string[]) => Promise<string>): Promise<void> {
  try {
    process.umask(0o077);
    process.stdout.write(`${await work(readConfig(), process.argv.slice(2))}\n`);
  } catch (error) {
    process.stderr.write(`${toOperatorMessage(error)}\n`);
    process.exitCode = 1;
  }
}
