import type { TestUser } from '../support/requests.ts';
import { cookieHeaders, sendAuthRequest, tokenHeaders } from '../support/requests.ts';
import type { TestShop } from '../support/shop.ts';

/** `customer` owns the data of the sample calls and pages, `other` is another customer, and `demoted` was an admin before. */
export type VisitorKind = 'anonymous' | 'customer' | 'other' | 'admin' | 'demoted';

/** The credentials of a request, valid or not, and the kind of visitor that they identify. */
export type Visitor = {
  name: string;
  kind: VisitorKind;
  person?: TestUser;
  headers: Record<string, string>;
};

type Credentials = Pick<TestUser, 'cookie' | 'token'>;

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
    admit(kind, 'cookie', cookieHeaders(person));
    admit(kind, 'token', tokenHeaders(person));
    admit(kind, 'both', { ...cookieHeaders(person), ...tokenHeaders(person) });
    const cookieOwner = kind === 'admin' ? other : admin;
    admit(kind, `token next to the cookie of ${cookieOwner.name}`, {
      ...cookieHeaders(cookieOwner),
      ...tokenHeaders(person),
    });
  }
  for (const kind of ['customer', 'admin'] as const) {
    const valid = people[kind];
    for (const [how, ended] of Object.entries(await endSessions(shop, valid))) {
      reject(`${kind}, ${how}, by cookie`, cookieHeaders(ended));
      reject(`${kind}, ${how}, by token`, tokenHeaders(ended));
      reject(`${kind}, ${how}, by both`, { ...cookieHeaders(ended), ...tokenHeaders(ended) });
      reject(`${kind}, ${how}, by token next to a valid cookie`, {
        ...cookieHeaders(valid),
        ...tokenHeaders(ended),
      });
      admit(kind, `token next to a cookie that is ${how}`, {
        ...cookieHeaders(ended),
        ...tokenHeaders(valid),
      });
    }
    const forged = forge(valid, kind === 'customer' ? admin : customer);
    reject(`${kind}, forged, by cookie`, cookieHeaders(forged));
    reject(`${kind}, forged, by token`, tokenHeaders(forged));
    reject(`${kind}, forged, by token next to a valid cookie`, {
      ...cookieHeaders(valid),
      ...tokenHeaders(forged),
    });
    reject(`${kind}, unsigned`, tokenHeaders({ token: removeSignature(valid) }));
  }
  // Even a malformed Authorization header overrides the cookie.
  const malformed = {
    empty: '',
    'without a token': 'Bearer',
    'of another scheme': `Basic ${admin.token}`,
    'without a scheme': admin.token,
    'with two tokens': `Bearer ${admin.token} ${admin.token}`,
  };
  for (const [how, authorization] of Object.entries(malformed))
    reject(`a header ${how} next to a valid cookie`, { ...cookieHeaders(admin), authorization });
  return { people, visitors };
}

export async function setRole({ database }: TestShop, { email }: TestUser, role: 'admin' | null) {
  await database.db.updateTable('user').set({ role }).where('email', '=', email).execute();
}

/** Signs a person in twice, then signs one session out and lets the other expire; returns both. */
async function endSessions(
  shop: TestShop,
  { email, password }: TestUser,
): Promise<Record<string, Credentials>> {
  const [signedOut, expired] = [await shop.signIn(email, password), await shop.signIn(email, password)];
  await sendAuthRequest(shop, '/sign-out', {}, cookieHeaders(signedOut));
  await shop.database.db
    .updateTable('session')
    .set({ expiresAt: new Date(Date.now() - 1) })
    .where('token', '=', removeSignature(expired))
    .execute();
  return { 'signed out': signedOut, expired };
}

/** The credentials of a valid session with the signature of another session. */
function forge({ token, cookie }: TestUser, another: TestUser): Credentials {
  const signature = token.slice(token.lastIndexOf('.'));
  const foreign = another.token.slice(another.token.lastIndexOf('.'));
  return {
    token: token.replace(signature, foreign),
    cookie: cookie.replace(encodeURIComponent(signature), encodeURIComponent(foreign)),
  };
}

const removeSignature = ({ token }: Credentials) => token.slice(0, token.lastIndexOf('.'));
