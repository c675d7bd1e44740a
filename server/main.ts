import { readConfig } from './config.ts';
import { collectWhenIdle } from './idle.ts';
import { openLog } from './log.ts';
import { toOperatorMessage } from './operator-message.ts';
import { endSignals } from './signals.ts';
import { type Running, start } from './start.ts';
import { reportOpen, runWorkers, tellReplaced } from './workers.ts';

async function main(): Promise<void> {
  // A DATA_DIR that somebody else made may be open to every user of the machine: what we put there is not.
  process.umask(0o077);
  const config = readConfig();
  if (runWorkers(config.workers)) return;
  const log = openLog();
  tellReplaced(log);
  const running = await start(config, { log, ahead: true });
  await running.listen();
  // Not `once`: a second signal would kill the process while it finishes its requests.
  for (const signal of endSignals) process.on(signal, () => void end(running).catch(fail));
  collectWhenIdle();
  const sandbox = running.sandbox
    ? ` It is a sandbox: no real card is charged. ${await running.describeDemo()}`
    : '';
  reportOpen(`The shop is open at ${config.origins[0]}.${sandbox}`);
}

async function end(running: Running): Promise<void> {
  await running.stop();
  process.exit(0);
}

function fail(error: unknown): void {
  process.stderr.write(`${toOperatorMessage(error)}\n`);
  process.exit(1);
}

main().catch(fail);
