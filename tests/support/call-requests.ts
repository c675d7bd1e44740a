import { expect } from 'vitest';
import type { Call } from '../../contract/call.ts';
import { contract } from '../../contract/contract.ts';
import type { CallName } from '../../contract/paths.ts';
import { routes } from '../../web/all-routes.ts';
import { prepareCalls } from './call-samples.ts';
import { listPagePaths } from './page-paths.ts';
import type { TestUser } from './requests.ts';
import { sendCall, tokenHeaders } from './requests.ts';
import type { TestShop } from './shop.ts';
import { recordStatements, type Statement } from './statements.ts';

/** Every call of the contract. */
export const callNames = Object.keys(contract).filter((name): name is CallName => name in contract);

/** Pages that respond with an error instead of a redirect; `/delivery` needs a delivery rate. */
const rejectingPaths = new Set(['/*', '/api/docs', '/delivery']);

/**
 * Prepares a request for each page and each call of the contract. Each request expects success or a rejection because of the
 * user's role, and returns the SQL statements that it has caused.
 */
export async function prepareRequests(shop: TestShop) {
  const users = { customer: await shop.signUp(), admin: await shop.admin() };
  const prepared = await prepareCalls(shop);
  const createLeaver = async (viewer: TestUser | undefined) =>
    viewer && (viewer === users.admin ? shop.admin(viewer.name) : shop.signUp(viewer.name));
  const requests = new Map<string, (user: TestUser | undefined) => Promise<Statement[]>>();
  for (const name of callNames) {
    const { access }: Call = contract[name];
    requests.set(name, async (viewer) => {
      const user = name === 'deleteUser' ? await createLeaver(viewer) : viewer;
      const options = await prepared.calls[name](user ?? users.customer);
      if (name === 'deleteUser') options.body = { password: user?.password };
      const headers = { ...options.headers, ...(user && access !== 'provider' ? tokenHeaders(user) : {}) };
      const { result, statementsOf } = await recordStatements(() =>
        sendCall(shop, name, { ...options, headers }),
      );
      const isAllowed = access === 'everyone' || access === 'provider' || (user && access !== 'admin');
      const succeeds = isAllowed || viewer === users.admin;
      expect([name, user?.name, result.status < 300]).toEqual([name, user?.name, succeeds]);
      return statementsOf(shop.database.db);
    });
  }
  for (const path of listPagePaths(routes)) {
    requests.set(path, async (user) => {
      const address = await prepared.address(path, user ?? users.customer);
      // The first page after a change also reads what the frame shows. This page is not cached.
      await shop.send('/nowhere');
      const { result, statementsOf } = await recordStatements(() => shop.send(address, {}, user));
      expect(result.status, address).toBeLessThan(rejectingPaths.has(path) ? 405 : 400);
      return statementsOf(shop.database.db);
    });
  }
  return { users, requests };
}
