import { expect } from 'vitest';
import type { Call } from '../../contract/call.ts';
import { contract } from '../../contract/contract.ts';
import { type CallName, paths } from '../../contract/paths.ts';
import { routes } from '../../web/routes.tsx';
import type { Person } from './ask.ts';
import { ask, byToken } from './ask.ts';
import { prepareEveryCall } from './every-call.ts';
import { pathsOf } from './page-paths.ts';
import type { TestShop } from './shop.ts';
import { listen, type Statement } from './statements.ts';

/** Every call of the contract. */
export const callNames = Object.keys(contract).filter((name): name is CallName => name in paths);

/** Pages that refuse somebody where they are, and do not lead elsewhere. */
const refusing = new Set(['/*', '/api/docs']);

/** One asking of each page and each call; gives what the database was asked for it. */
export async function prepareAsks(shop: TestShop) {
  const people = { customer: await shop.signUp(), admin: await shop.admin() };
  const every = await prepareEveryCall(shop);
  const asks = new Map<string, (person: Person | undefined) => Promise<Statement[]>>();
  for (const name of callNames) {
    const { access }: Call = contract[name];
    asks.set(name, async (person) => {
      const given = await every.calls[name](person ?? people.customer);
      const headers = { ...given.headers, ...(person && access !== 'provider' ? byToken(person) : {}) };
      const { result, of } = await listen(() => ask(shop, name, { ...given, headers }));
      const letIn = access === 'everyone' || access === 'provider' || (person && access !== 'admin');
      const wanted = letIn || person === people.admin;
      expect([name, person?.name, result.status < 300]).toEqual([name, person?.name, wanted]);
      return of(shop.database.db);
    });
  }
  for (const path of pathsOf(routes)) {
    asks.set(path, async (person) => {
      const address = await every.address(path, person ?? people.customer);
      const { result, of } = await listen(() => shop.send(address, {}, person));
      expect(result.status).toBeLessThan(refusing.has(path) ? 405 : 400);
      return of(shop.database.db);
    });
  }
  return { people, asks };
}
