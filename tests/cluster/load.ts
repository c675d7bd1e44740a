import { expect, inject } from 'vitest';
import type { Client } from '../../web/client/api/client.ts';
import { type LoadContext, signUpCustomer } from '../torture/customer-actions.ts';
import { createLedger } from '../torture/ledger.ts';
import { createRandom } from '../torture/random.ts';

/** Prepares a load: a ledger with the products that `admin` can list, and four customers. */
export async function createLoad(
  admin: Client,
  options: Omit<LoadContext, 'random' | 'ledger' | 'products'> & { hasOutages?: boolean },
) {
  const { hasOutages = false, ...others } = options;
  const ledger = createLedger({ hasOutages });
  const products = (await admin.list('listProducts', {})).rows;
  for (const { _id, a_quantity } of products)
    ledger.products.set(_id, { stock: a_quantity, allowed: new Set(['on-sale']), seeded: true });
  ledger.images.push(...products.slice(0, 1).map(({ img }) => img));
  const context: LoadContext = { ...others, random: createRandom(inject('seed')), ledger, products };
  for (let at = 0; at < 4; at++) await signUpCustomer(context);
  return { context, ledger };
}

/** Waits until the load has received more than `count` further responses. */
export async function waitForResponses({ ledger }: Pick<LoadContext, 'ledger'>, count = 60): Promise<void> {
  const before = ledger.answered;
  await expect.poll(() => ledger.answered, { timeout: 60_000 }).toBeGreaterThan(before + count);
}
