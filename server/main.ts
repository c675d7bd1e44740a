import { readConfig } from './config/config.ts';
import { shutdownSignals } from './config/signals.ts';
import { toOperatorMessage } from './database/errors.ts';
import { checkPort } from './http/connections/free-port.ts';
import { collectWhenIdle } from './operations/idle-collection.ts';
import { openLog } from './operations/log.ts';
import { start } from './start.ts';

async function main(): Promise<void> {
  // Create private files, even in a DATA_DIR that all users of the machine can read.
  process.umask(0o077);
  const config = readConfig();
  const log = openLog();
  for (const sentence of config.misspelled) log.warn(sentence);
  await checkPort(config);
  const running = await start(config, { log });
  await running.listen();
  // Use `on` instead of `once`, so that a second signal does not kill the process while it finishes pending requests.
  for (const signal of shutdownSignals)
    process.on(signal, () => void running.stop().then(() => process.exit(0), fail));
  collectWhenIdle();
  const notes = {
    sandbox: ` It is a sandbox: no real card is charged. ${await running.describeDemo()}`,
    test: ' Its keys are test keys: no real card is charged.',
    live: '',
  };
  process.stdout.write(`The shop is open at ${config.origins[0]}.${notes[config.mode]}\n`);
}

function fail(error: unknown): void {
  process.stderr.write(`${toOperatorMessage(error)}\n`);
  process.exit(1);
}

main().catch(fail);
