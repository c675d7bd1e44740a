import { ShopError } from '../../../contract/errors.ts';
import type { Shop } from '../shop.ts';
import type { PaymentRow } from './settle.ts';

/**
 * For an `error` that says that the provider does not know a payment. Returns if the payment was made with the account whose key we
 * have: then it does not exist, because its data were deleted in test mode, or because the row was edited by hand. (The key is not for
 * the account's other mode, in which the shop does not start.) Otherwise the money may be at the other account: logs both, and throws
 * 503.
 */
export async function requireOwnAccount(
  shop: Shop,
  { intent, account: accountOfPayment }: Pick<PaymentRow, 'intent' | 'account'>,
  error: unknown,
): Promise<void> {
  const account = await shop.provider.getAccountId();
  if (account !== null && accountOfPayment === account) return;
  const [made, current] = [
    accountOfPayment ?? 'an unknown account',
    account ?? 'an account that it may not read',
  ];
  shop.log.error(
    { intent, error },
    `the key is for ${current}, which does not know a payment of ${made}: restore the key`,
  );
  const detail = `The payment provider does not know payment ${intent}. Nothing has changed: the shop must check its key.`;
  throw new ShopError('provider_unreachable', detail, { cause: error, retryAfter: 600 });
}
