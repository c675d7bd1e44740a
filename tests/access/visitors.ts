import type { Person } from '../support/ask.ts';
import { askIdentity, byCookie, byToken } from '../support/ask.ts';
import type { TestShop } from '../support/shop.ts';

/** The sample calls and pages belong to the customer; `demoted` was an admin before. */
export type VisitorKind = 'anonymous' | 'customer' | 'other' | 'admin' | 'demoted';

/** The credentials of a request, valid or not, and the kind of visitor that they identify. */
export type Visitor = {
  name: string;
  kind: VisitorKind;
  person?: Person;
  headers: Record<string, string>;
};

type Credentials = Pick<Person, 'cookie' | 'token'>;

/** Creates visitors of every kind: by cookie, by token and by both, with ended sessions, forged and malformed credentials. */
export async function createVisitors(shop: TestShop) {
  const people = {
    customer: await shop.signUp(),
    other: await shop.signUp('Ann'),
    admin: await shop.admin(),
    demoted: await shop.admin('Bob'),
  };
  const { customer, other, admin } = people;
  await setRole(shop, people.demoted, null);

  const visitors: Visitor[] = [{ name: 'anonymous', kind: 'anonymous', headers: {} }];
  const admit = (kind: Exclude<VisitorKind, 'anonymous'>, how: string, headers: Record<string, string>) =>
    visitors.push({ name: `${kind} by ${how}`, kind, person: people[kind], headers });
  const reject = (name: string, headers: Record<string, string>) =>
    visitors.push({ name, kind: 'anonymous', headers });

  for (const kind of ['customer', 'other', 'admin', 'demoted'] as const) {
    const person = people[kind];
    admit(kind, 'cookie', byCookie(person));
    admit(kind, 'token', byToken(person));
    admit(kind, 'both', { ...byCookie(person), ...byToken(person) });
    const cookieOwner = kind === 'admin' ? other : admin;
    admit(kind, `token next to the cookie of ${cookieOwner.name}`, {
      ...byCookie(cookieOwner),
      ...byToken(person),
    });
  }
  for (const kind of ['customer', 'admin'] as const) {
    const valid = people[kind];
    for (const [how, ended] of Object.entries(await endSessions(shop, valid))) {
      reject(`${kind}, ${how}, by cookie`, byCookie(ended));
      reject(`${kind}, ${how}, by token`, byToken(ended));
      reject(`${kind}, ${how}, by both`, { ...byCookie(ended), ...byToken(ended) });
      reject(`${kind}, ${how}, by token next to a valid cookie`, { ...byCookie(valid), ...byToken(ended) });
      admit(kind, `token next to a cookie that is ${how}`, { ...byCookie(ended), ...byToken(valid) });
    }
    const forged = forge(valid, kind === 'customer' ? admin : customer);
    reject(`${kind}, forged, by cookie`, byCookie(forged));
    reject(`${kind}, forged, by token`, byToken(forged));
    reject(`${kind}, forged, by token next to a valid cookie`, { ...byCookie(valid), ...byToken(forged) });
    reject(`${kind}, unsigned`, byToken({ token: removeSignature(valid) }));
  }
  // An Authorization header overrides the cookie, even a malformed one.
  const malformed = {
    ...{ empty: '', 'without a token': 'Bearer', 'of another scheme': `Basic ${admin.token}` },
    ...{ 'without a scheme': admin.token, 'with two tokens': `Bearer ${admin.token} ${admin.token}` },
  };
  for (const [how, authorization] of Object.entries(malformed))
    reject(`a header ${how} next to a valid cookie`, { ...byCookie(admin), authorization });
  return { people, visitors };
}

export async function setRole({ database }: TestShop, { email }: Person, role: 'admin' | null) {
  await database.db.updateTable('user').set({ role }).where('email', '=', email).execute();
}

/** Sessions of a person that were valid before. */
async function endSessions(
  shop: TestShop,
  { email, password }: Person,
): Promise<Record<string, Credentials>> {
  const [signedOut, expired] = [await shop.signIn(email, password), await shop.signIn(email, password)];
  await askIdentity(shop, '/sign-out', {}, byCookie(signedOut));
  await shop.database.db
    .updateTable('session')
    .set({ expiresAt: new Date(Date.now() - 1) })
    .where('token', '=', removeSignature(expired))
    .execute();
  return { 'signed out': signedOut, expired };
}

/** A valid session with the signature of another one. */
function forge({ token, cookie }: Person, another: Person): Credentials {
  const signature = token.slice(token.lastIndexOf('.'));
  const foreign = another.token.slice(another.token.lastIndexOf('.'));
  return {
    token: token.replace(signature, foreign),
    cookie: cookie.replace(encodeURIComponent(signature), encodeURIComponent(foreign)),
  };
}

const removeSignature = ({ token }: Credentials) => token.slice(0, token.lastIndexOf('.'));
