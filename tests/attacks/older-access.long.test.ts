import { describe, expect, test } from 'vitest';
import { setPassword } from '../../server/identity/accounts.ts';
import { issueToken } from '../../server/identity/recovery/tokens.ts';
import { removeTwoFactor } from '../../server/identity/two-factor/two-factor.ts';
import { engines } from '../support/database.ts';
import { startFakeGoogle } from '../support/google.ts';
import { addPasskey, createDevice } from '../support/passkeys.ts';
import { readSetCookies, sendAuthRequest, type TestUser } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import {
  computeCode,
  enterCode,
  enterPassword,
  startTwoFactor,
  turnOnTwoFactor,
} from '../support/two-factor.ts';

type Google = Awaited<ReturnType<typeof startFakeGoogle>>;
type Person = TestUser & { id: string };

/** Changes a way to sign in. Returns the cookies of the session that made the change, if that session continues. */
type Change = (shop: TestShop, tom: Person, google: Google) => Promise<string | undefined>;

const newPassword = 'verge-and-foliot';
const turnedOn = 'two-factor sign-in turned on';

async function send(shop: TestShop, path: string, body: object, cookie?: string): Promise<Response> {
  const response = await sendAuthRequest(shop, path, body, cookie ? { cookie } : {});
  expect([path, response.status]).toEqual([path, 200]);
  return response;
}

const changes: Record<string, Change> = {
  async 'a changed password'(shop, { password, cookie }) {
    const form = { currentPassword: password, newPassword };
    return readSetCookies(await send(shop, '/change-password', form, cookie));
  },
  async 'a reset password'(shop, { email }) {
    const token = await issueToken(shop.database, 'reset password', email);
    await send(shop, '/reset-password', { token, newPassword });
    return undefined;
  },
  async 'a changed address'(shop, { id, cookie }) {
    const token = await issueToken(shop.database, 'change address', 'tom@new.example', { key: id });
    await send(shop, '/confirm-email-change', { token }, cookie);
    return cookie;
  },
  async [turnedOn](shop, tom) {
    const { secret, enterFirst } = await startTwoFactor(shop, tom);
    return readSetCookies(await enterFirst(computeCode(secret)));
  },
  async 'two-factor sign-in turned off'(shop, { password, cookie }) {
    return readSetCookies(await send(shop, '/two-factor/disable', { password }, cookie));
  },
  async 'new recovery codes'(shop, { password, cookie }) {
    await send(shop, '/two-factor/generate-backup-codes', { password }, cookie);
    return cookie;
  },
  async 'an added passkey'(shop, tom) {
    await addPasskey(shop, tom, createDevice());
    return tom.cookie;
  },
  async 'a removed passkey'(shop, { id, password, cookie }) {
    const now = new Date();
    const keys = { publicKey: 'key', credentialID: 'credential', deviceType: 'singleDevice', name: 'Phone' };
    await shop.database.db
      .insertInto('passkey')
      .values({
        id: 'old',
        userId: id,
        counter: 0,
        backedUp: false,
        transports: null,
        aaguid: '',
        createdAt: now,
        ...keys,
      })
      .execute();
    await send(shop, '/passkey/delete-passkey', { id: 'old', password }, cookie);
    return cookie;
  },
  async 'a linked Google account'(shop, { cookie }, google) {
    const started = await send(shop, '/link-social', { provider: 'google', callbackURL: '/blogs' }, cookie);
    const { url }: { url: string } = await started.json();
    const readParam = (name: string) => new URL(url).searchParams.get(name) ?? '';
    const [state, nonce] = [readParam('state'), readParam('nonce')];
    google.state.tokens = {
      id_token: google.signToken(google.claimsOf('tom', 'tom@mail.example', nonce)),
    };
    const returned = await sendAuthRequest(shop, `/callback/google?code=a&state=${state}`, undefined, {
      cookie: `${readSetCookies(started)}; ${cookie}`,
    });
    expect(returned.headers.get('location')).toBe('/blogs');
    return cookie;
  },
  async 'the profile’s Sign out everywhere else'(shop, { cookie }) {
    await send(shop, '/revoke-other-sessions', {}, cookie);
    return cookie;
  },
  async 'an admin’s sign-out'(shop, { email }) {
    await shop.client(await shop.admin()).call('signOutUser', { params: { email } });
    return undefined;
  },
  async 'npm run reset-password'(shop, { id }) {
    await setPassword(shop.database, id, newPassword);
    return undefined;
  },
  async 'npm run reset-2fa'(shop, { id }) {
    expect(await removeTwoFactor(shop.database, id, async () => undefined)).toBe(true);
    return undefined;
  },
};

const isSignedIn = async (shop: TestShop, cookie: string) =>
  (await (await sendAuthRequest(shop, '/get-session', undefined, { cookie })).json()) !== null;

describe.each(engines)('on %s', (engine) => {
  test.each(Object.entries(changes))(
    '%s ends older links, trusted devices and sessions',
    async (name, change) => {
      await using google = await startFakeGoogle();
      const { DATA_DIR: _folder, ...settings } = google.settings;
      await using shop = await startShop({
        engine,
        settings: { ...settings, SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'shop@shop.example' },
      });
      const { db } = shop.database;
      const signedUp = await shop.signUp();
      const enrolled = name === turnedOn ? undefined : await turnOnTwoFactor(shop, signedUp, 0);
      const { id } = await db.selectFrom('user').select('id').executeTakeFirstOrThrow();
      const tom = { ...(enrolled ?? signedUp), id };
      const { cookie: waiting } = await enterPassword(shop, tom);
      const code = enrolled?.recoveryCodes[0];
      const other = code
        ? readSetCookies(await enterCode(shop, code, waiting, { trustDevice: true }))
        : waiting;
      if (code) expect(other).toContain('trust_device');
      const reset = await issueToken(shop.database, 'reset password', tom.email);
      const changeAddress = await issueToken(shop.database, 'change address', 'eve@mail.example', {
        key: id,
      });
      expect([await isSignedIn(shop, tom.cookie), await isSignedIn(shop, other)]).toEqual([true, true]);

      const keptCookie = await change(shop, tom, google);

      expect(await isSignedIn(shop, other)).toBe(false);
      if (keptCookie === undefined) expect(await isSignedIn(shop, tom.cookie)).toBe(false);
      else expect(await isSignedIn(shop, keptCookie)).toBe(true);
      const form = { token: reset, newPassword: 'intruders-password' };
      expect((await sendAuthRequest(shop, '/reset-password', form)).status).toBe(400);
      const { cookie } = (await db.selectFrom('session').select('id').executeTakeFirst())
        ? { cookie: keptCookie ?? '' }
        : await enterPassword(shop, { ...tom, password: newPassword });
      const confirmed = sendAuthRequest(shop, '/confirm-email-change', { token: changeAddress }, { cookie });
      expect((await confirmed).status).not.toBe(200);
      const rows = await db.selectFrom('verification').select('identifier').where('value', '=', id).execute();
      expect(rows.filter(({ identifier }) => identifier.startsWith('trust-device-'))).toEqual([]);
    },
  );
});
