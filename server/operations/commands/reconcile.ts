import { z } from 'zod';
import { ShopError } from '../../../contract/errors.ts';
import { defaultCurrency } from '../../config/currency.ts';
import { announceChange } from '../../database/changes.ts';
import { claimDatabase } from '../../database/database.ts';
import { defaultRateLimits } from '../../http/rate-limit.ts';
import { createPasswordQueue } from '../../identity/password-attempts.ts';
import { commandLine } from '../../shop/audit/actor.ts';
import { readShipping } from '../../shop/delivery/shipping.ts';
import { createProvider } from '../../shop/payments/provider.ts';
import { reconcileAccount } from '../../shop/payments/reconcile-account.ts';
import { openLog } from '../log.ts';
import { runDatabaseCommand } from './command.ts';

const usage =
  'Name the time of the backup or failure: npm run reconcile -- --since 2026-11-23T14:00:00Z, optionally followed by --apply.';

const time = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** `npm run reconcile -- --since TIME [--apply]` */
await runDatabaseCommand(async (database, args, config) => {
  const apply = args.includes('--apply');
  const rest = z.tuple([z.literal('--since'), time]).safeParse(args.filter((arg) => arg !== '--apply'));
  const since = Date.parse(rest.data?.[1] ?? '');
  if (!(since < Date.now())) throw new ShopError('invalid', usage);
  if (!config.services)
    throw new ShopError(
      'conflict',
      'This is a sandbox, whose payments are in its own database. To compare with Stripe, set its keys.',
    );
  const provider = createProvider(config.services.stripe, fetch, 'person');
  let hasChanged = false;
  const noteChange = () => {
    hasChanged = true;
  };
  const shop = {
    config,
    database,
    provider,
    backgroundProvider: provider,
    log: openLog(),
    rateLimits: defaultRateLimits,
    secret: '',
    passwordQueue: createPasswordQueue(),
    id: await claimDatabase(database, config.mode),
    currency: config.currency ?? defaultCurrency,
    sendsMail: config.sendsMail,
    checkImage: async () => undefined,
    invalidateCache: noteChange,
    invalidateStock: noteChange,
    readShownShipping: () => readShipping(database.db),
    recordTime: () => undefined,
    recordService: () => undefined,
    countEvent: () => undefined,
  };
  const report = (line: string) => void process.stdout.write(`${line}\n`);
  const { found, left } = await reconcileAccount(shop, { since, apply, actor: commandLine, report }).finally(
    () => hasChanged && announceChange(database),
  );
  if (found === 0) return 'No difference: this database has every payment and refund at Stripe since then.';
  if (!apply) return `Differences: ${found}. To bring this database into line with Stripe, add --apply.`;
  return `Differences: ${found}. Applied: ${found - left}. Left to an admin: ${left}.`;
});
