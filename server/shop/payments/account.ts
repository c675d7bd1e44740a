import { ShopError } from '../../../contract/errors.ts';
import type { Shop } from '../shop.ts';
import type { PaymentRow } from './settle.ts';

/**
 * Handles an `error` that says that the provider does not know a payment. Returns if the payment was made with the account that our
 * key belongs to. The provider then does not know the payment because its test data were deleted, or because someone edited our
 * row. (The key cannot be for the account's other mode, because the shop does not start then.) Otherwise the money may be at
 * another account: logs both accounts, and throws 503.
 */
export async function requireOwnAccount(
  shop: Shop,
  { intent, account: accountOfPayment }: Pick<PaymentRow, 'intent' | 'account'>,
  error: unknown,
): Promise<void> {
  const account = await shop.provider.getAccountId();
  if (account !== null && accountOfPayment === account) return;
  const [paymentAccount, keyAccount] = [
    accountOfPayment ?? 'an unknown account',
    account ?? 'an account whose id the key may not read',
  ];
  shop.log.error(
    { intent, error },
    `the key is for ${keyAccount}, which does not know a payment of ${paymentAccount}: restore the key`,
  );
  const detail = `The payment provider does not know payment ${intent}. Nothing has changed: the shop must check its key.`;
  throw new ShopError('provider_unreachable', detail, { cause: error, retryAfter: 600 });
}
