import { setTimeout } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { examineAddress, webhookOf } from './address.ts';
import { examineClock } from './clock.ts';
import { examineDatabase } from './database.ts';
import { examineFacts } from './facts.ts';
import { examineMachine } from './machine.ts';
import { examineGoogle, examineImageHost } from './others.ts';
import type { Report } from './report.ts';
import { examineStripe } from './stripe.ts';

/** Of all that is asked of the database, in milliseconds. */
const longest = 30_000;

/**
 * Looks at all that the shop needs, beside a running one or without, and says of each what there is to do. It changes
 * nothing, asks each service only what costs nothing, and waits five seconds for each.
 */
export async function examine(config: Config, report: Report): Promise<void> {
  const { services } = config;
  report.ok(`Settings: right, for ${services ? 'a live shop' : 'a sandbox, where no real card is charged'}.`);
  examineMachine(config, report);
  const tooLong = setTimeout(longest, 'too long' as const, { ref: false });
  const looked = examineDatabase(config, report, (database) => examineFacts(database, report));
  if ((await Promise.race([looked, tooLong])) === 'too long')
    report.wrong(
      'The database has begun to answer, and goes no further.',
      'Look at it: is its machine busy, its disk full?',
    );
  await examineAddress(config, report);
  if (services) {
    await examineStripe(config, services, report);
    await examineGoogle(config, services, report);
  } else tellStandIns(config, report);
  await examineImageHost(config, report);
  examineClock(report);
}

function tellStandIns(config: Config, report: Report): void {
  report.ok(
    `Stripe and Google: stand-ins. To go live (docs/operations.md): PUBLIC_URL, a new place for the data, Stripe's two keys and the secret of a webhook for ${webhookOf(config)}, Google's client or GOOGLE_SIGN_IN=off.`,
  );
}
