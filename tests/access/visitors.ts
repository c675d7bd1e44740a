import type { Person } from '../support/ask.ts';
import { askIdentity, byCookie, byToken } from '../support/ask.ts';
import type { TestShop } from '../support/shop.ts';

/** What a request counts as. The customer is whom the samples of calls and pages name; `demoted` was an admin. */
export type VisitorKind = 'nobody' | 'customer' | 'other' | 'admin' | 'demoted';

/** A request's credentials, right or wrong, and what they make of it. */
export type Visitor = {
  name: string;
  kind: VisitorKind;
  person?: Person;
  headers: Record<string, string>;
};

type Carried = Pick<Person, 'cookie' | 'token'>;

/** Everybody who may knock: each person by cookie, token and both, ended sessions, forged and broken ones. */
export async function createVisitors(shop: TestShop) {
  const people = {
    customer: await shop.signUp(),
    other: await shop.signUp('Ann'),
    admin: await shop.admin(),
    demoted: await shop.admin('Bob'),
  };
  const { customer, other, admin } = people;
  await setRole(shop, people.demoted, null);

  const visitors: Visitor[] = [{ name: 'nobody', kind: 'nobody', headers: {} }];
  const admit = (kind: Exclude<VisitorKind, 'nobody'>, how: string, headers: Record<string, string>) =>
    visitors.push({ name: `${kind} by ${how}`, kind, person: people[kind], headers });
  const refuse = (name: string, headers: Record<string, string>) =>
    visitors.push({ name, kind: 'nobody', headers });

  for (const kind of ['customer', 'other', 'admin', 'demoted'] as const) {
    const person = people[kind];
    admit(kind, 'cookie', byCookie(person));
    admit(kind, 'token', byToken(person));
    admit(kind, 'both', { ...byCookie(person), ...byToken(person) });
    const beside = kind === 'admin' ? other : admin;
    admit(kind, `token beside the cookie of ${beside.name}`, { ...byCookie(beside), ...byToken(person) });
  }
  for (const kind of ['customer', 'admin'] as const) {
    const good = people[kind];
    for (const [how, ended] of Object.entries(await endSessions(shop, good))) {
      refuse(`${kind}, ${how}, by cookie`, byCookie(ended));
      refuse(`${kind}, ${how}, by token`, byToken(ended));
      refuse(`${kind}, ${how}, by both`, { ...byCookie(ended), ...byToken(ended) });
      refuse(`${kind}, ${how}, by token beside a good cookie`, { ...byCookie(good), ...byToken(ended) });
      admit(kind, `token beside a cookie that is ${how}`, { ...byCookie(ended), ...byToken(good) });
    }
    const wrong = forge(good, kind === 'customer' ? admin : customer);
    refuse(`${kind}, forged, by cookie`, byCookie(wrong));
    refuse(`${kind}, forged, by token`, byToken(wrong));
    refuse(`${kind}, forged, by token beside a good cookie`, { ...byCookie(good), ...byToken(wrong) });
    refuse(`${kind}, unsigned`, byToken({ token: unsigned(good) }));
  }
  // A request with this header is judged by it alone, whatever it says.
  const broken = {
    ...{ empty: '', 'without a token': 'Bearer', 'of another scheme': `Basic ${admin.token}` },
    ...{ 'without a scheme': admin.token, 'with two tokens': `Bearer ${admin.token} ${admin.token}` },
  };
  for (const [how, authorization] of Object.entries(broken))
    refuse(`a header ${how} beside a good cookie`, { ...byCookie(admin), authorization });
  return { people, visitors };
}

export async function setRole({ database }: TestShop, { email }: Person, role: 'admin' | null) {
  await database.db.updateTable('user').set({ role }).where('email', '=', email).execute();
}

/** Sessions of a person that were good once. */
async function endSessions(shop: TestShop, { email, password }: Person): Promise<Record<string, Carried>> {
  const [signedOut, expired] = [await shop.signIn(email, password), await shop.signIn(email, password)];
  await askIdentity(shop, '/sign-out', {}, byCookie(signedOut));
  await shop.database.db
    .updateTable('session')
    .set({ expiresAt: new Date(Date.now() - 1) })
    .where('token', '=', unsigned(expired))
    .execute();
  return { 'signed out': signedOut, expired };
}

/** A good session under the signature of another one. */
function forge({ token, cookie }: Person, another: Person): Carried {
  const signature = token.slice(token.lastIndexOf('.'));
  const wrong = another.token.slice(another.token.lastIndexOf('.'));
  return {
    token: token.replace(signature, wrong),
    cookie: cookie.replace(encodeURIComponent(signature), encodeURIComponent(wrong)),
  };
}

const unsigned = ({ token }: Carried) => token.slice(0, token.lastIndexOf('.'));
