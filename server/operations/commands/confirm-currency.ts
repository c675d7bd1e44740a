import { z } from 'zod';
import { wrongSetting } from '../../../contract/errors.ts';
import { defaultCurrency, isChargeable } from '../../config/currency.ts';
import { confirmCurrency } from '../../database/currency.ts';
import { readArgument, runDatabaseCommand } from './command.ts';

/** After a change of SHOP_CURRENCY: the products' prices keep their numbers and are in the new currency from now on. */
await runDatabaseCommand(async (database, args, config) => {
  const usage = 'Name one currency: npm run confirm-currency -- EUR';
  const currency = readArgument(args, z.string().toUpperCase().refine(isChargeable), usage);
  const configured = config.currency ?? defaultCurrency;
  if (currency !== configured)
    throw wrongSetting(`SHOP_CURRENCY is ${configured}: set it to ${currency} first.`);
  const before = await confirmCurrency(database, currency);
  return `Prices are in ${currency} from now on${before && before !== currency ? `, no longer in ${before}` : ''}. Their numbers are unchanged: check each product's price, and start the shop.`;
});
