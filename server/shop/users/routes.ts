import { contract } from '../../../contract/contract.ts';
import { invalid } from '../../../contract/errors.ts';
import { linkedInRule } from '../../../contract/fields.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import { signToken } from '../../identity/credentials.ts';
import type { Shop } from '../shop.ts';
import { isAdmin, listUsers, makeAdmin, saveProfile } from './users.ts';

export function mountUsers(calls: Calls, shop: Shop): void {
  const { database } = shop;

  route(calls, contract.saveUser, async ({ viewer, body }) => {
    const token = signToken(viewer.token, shop.secret);
    if (body.address === undefined) return { token, modifiedCount: 0 };
    const [isValid, message] = linkedInRule(viewer.linkedIn);
    if (!isValid(body.linkedIn)) throw invalid('linkedIn', message);
    return { token, modifiedCount: await saveProfile(database, viewer, body) };
  });

  // The viewer's own role has just been read with the session.
  route(calls, contract.isAdmin, async ({ viewer, params: { email } }) => ({
    admin: email === viewer.email ? viewer.role === 'admin' : await isAdmin(database, email),
  }));

  route(calls, contract.listUsers, ({ query }) => listUsers(database, toSqlLimit(query), query.after));

  route(calls, contract.makeAdmin, async ({ viewer, params }) => ({
    modifiedCount: await makeAdmin(database, params.email, viewer.email),
  }));
}
