import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { Kysely, SqliteDialect } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openGoogle, people } from './google.ts';

const CALLBACK = '/api/auth/callback/google';
const [marit, teodor] = people;
if (!marit || !teodor) throw new Error('expected two people');

const cleanups: (() => unknown)[] = [];
const consoleOutput = vi.fn();

beforeEach(() => {
  for (const method of ['log', 'info', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation(consoleOutput);
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  vi.restoreAllMocks();
  expect(consoleOutput).not.toHaveBeenCalled();
});

function newFile() {
  const folder = mkdtempSync(join(tmpdir(), 'google-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  return join(folder, 'sandbox.db');
}

/** Kysely on a SQLite file, as a stand-in receives it. */
function openFile(file: string) {
  const database = new DatabaseSync(file);
  const prepare = (text: string) => {
    const statement = database.prepare(text);
    const bound = (values: readonly unknown[]) => values as SQLInputValue[];
    return {
      reader: statement.columns().length > 0,
      all: (values: readonly unknown[]) => statement.all(...bound(values)),
      run: (values: readonly unknown[]) => statement.run(...bound(values)),
      iterate: (values: readonly unknown[]) => statement.iterate(...bound(values)),
    };
  };
  return new Kysely<unknown>({
    dialect: new SqliteDialect({ database: { close: () => database.close(), prepare } }),
  });
}

/** Serves the stand-in for Google. The redirect URI uses 127.0.0.1 and the issuer localhost, so that both names are tested. */
async function start({ file = newFile(), port = 0 } = {}) {
  const db = openFile(file);
  const failures: unknown[] = [];
  const server = createServer((req, res) => {
    // Otherwise `fetch` could reuse a connection of the server that listened on this port before a restart.
    res.setHeader('Connection', 'close');
    google.listener(req, res);
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const origin = `http://localhost:${address.port}`;
  const redirectUri = `http://127.0.0.1:${address.port}${CALLBACK}`;
  const google = await openGoogle({
    db,
    origin: () => origin,
    redirectUris: () => [origin + CALLBACK, redirectUri],
    onError: (error) => failures.push(error),
  });
  let ended = false;
  const stop = async () => {
    if (ended) return;
    ended = true;
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await db.destroy();
    expect(failures).toEqual([]);
  };
  cleanups.push(stop);
  const issuer = `${origin}/sandbox/google`;
  return { google, origin, issuer, redirectUri, stop, file, port: address.port, db };
}

type Started = Awaited<ReturnType<typeof start>>;

/** A minimal browser: scopes cookies by host and path, follows redirects one at a time. */
function newBrowser() {
  const jar = new Map<string, { host: string; path: string; pair: string; line: string }>();
  async function visit(address: string, form?: Record<string, string>) {
    const { hostname, pathname } = new URL(address);
    const cookie = [...jar.values()]
      .filter(({ host, path }) => host === hostname && `${pathname}/`.startsWith(`${path}/`))
      .map(({ pair }) => pair)
      .join('; ');
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie, accept: 'text/html' },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const path = /path=([^;]*)/i.exec(line)?.[1] ?? '/';
      const key = `${hostname} ${path} ${pair.split('=')[0]}`;
      if (line.includes('1970')) jar.delete(key);
      else jar.set(key, { host: hostname, path, pair, line });
    }
    return response;
  }
  /** Follows redirects to a page, or to a URL that starts with `until`. */
  async function follow(address: string, until: string, form?: Record<string, string>) {
    let response = await visit(address, form);
    let url = address;
    while (response.headers.has('location')) {
      url = new URL(response.headers.get('location') ?? '', url).href;
      if (url.startsWith(until)) return { url, response };
      response = await visit(url);
    }
    return { url, response };
  }
  return { visit, follow, cookies: () => [...jar.values()].map(({ line }) => line) };
}

async function fetchDiscovery({ origin, google }: Started) {
  const response = await fetch(origin + google.discoveryPath);
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, string>;
}

/** The URL that Better Auth redirects the browser to. */
async function buildAuthorization(standIn: Started, more: Record<string, string> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const { authorization_endpoint } = await fetchDiscovery(standIn);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: standIn.google.clientId,
    state: 'the-state',
    scope: 'openid email profile',
    redirect_uri: standIn.redirectUri,
    nonce: 'the-nonce',
    prompt: 'select_account',
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    ...more,
  });
  return { verifier, url: `${authorization_endpoint}?${query}` };
}

async function signIn(standIn: Started, form: Record<string, string>, browser = newBrowser()) {
  const { verifier, url } = await buildAuthorization(standIn);
  const page = await browser.follow(url, standIn.redirectUri);
  const callback = await browser.follow(page.url, standIn.redirectUri, form);
  const params = new URL(callback.url).searchParams;
  return { verifier, params, code: params.get('code') ?? '' };
}

async function exchange(
  standIn: Started,
  code: string,
  verifier: string,
  secret = standIn.google.clientSecret,
  basic = false,
) {
  const { token_endpoint = '' } = await fetchDiscovery(standIn);
  const { clientId } = standIn.google;
  const credentials = Buffer.from(`${clientId}:${secret}`).toString('base64');
  return fetch(token_endpoint, {
    method: 'POST',
    headers: { accept: 'application/json', ...(basic ? { authorization: `Basic ${credentials}` } : {}) },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: standIn.redirectUri,
      ...(basic ? {} : { client_id: clientId, client_secret: secret }),
    }),
  });
}

async function getTokens(standIn: Started, form: Record<string, string>, browser = newBrowser()) {
  const { code, verifier } = await signIn(standIn, form, browser);
  const response = await exchange(standIn, code, verifier);
  expect(response.status).toBe(200);
  return (await response.json()) as { access_token: string; id_token: string; token_type: string };
}

async function verifyIdToken(standIn: Started, idToken: string) {
  const { jwks_uri = '', issuer = '' } = await fetchDiscovery(standIn);
  const keys = createRemoteJWKSet(new URL(jwks_uri));
  const { payload } = await jwtVerify(idToken, keys, {
    issuer,
    audience: standIn.google.clientId,
    algorithms: ['RS256'],
  });
  return payload;
}

async function fetchUserinfo(standIn: Started, token: string) {
  const { userinfo_endpoint = '' } = await fetchDiscovery(standIn);
  return fetch(userinfo_endpoint, { headers: { authorization: `Bearer ${token}` } });
}

test('a chosen person signs in with the code flow, PKCE, a verifiable id_token and userinfo', async () => {
  const standIn = await start();
  const browser = newBrowser();
  const { params, code, verifier } = await signIn(standIn, { person: marit.sub }, browser);
  expect(params.get('state')).toBe('the-state');
  expect(params.get('iss')).toBe(standIn.issuer);

  const response = await exchange(standIn, code, verifier, undefined, true);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const tokens = await response.json();
  expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
  const person = {
    sub: marit.sub,
    email: 'marit.lindqvist@gmail.example',
    email_verified: true,
    name: 'Marit Lindqvist',
    given_name: 'Marit',
    family_name: 'Lindqvist',
  };
  expect(await verifyIdToken(standIn, tokens.id_token)).toMatchObject({ ...person, nonce: 'the-nonce' });
  expect(await (await fetchUserinfo(standIn, tokens.access_token)).json()).toEqual(person);

  for (const cookie of browser.cookies()) {
    expect(cookie).toMatch(/path=\/sandbox\/google/);
    expect(cookie).toMatch(/httponly/i);
    expect(cookie).toMatch(/samesite=lax/i);
  }
});

test('the same browser can sign in as another person without signing out', async () => {
  const standIn = await start();
  const browser = newBrowser();
  const first = await getTokens(standIn, { person: marit.sub }, browser);
  const second = await getTokens(standIn, { person: teodor.sub }, browser);
  expect((await verifyIdToken(standIn, first.id_token)).email).toBe(marit.email);
  expect((await verifyIdToken(standIn, second.id_token)).email).toBe(teodor.email);
});

test('concurrent sign-ins in two tabs are independent', async () => {
  const standIn = await start();
  const browser = newBrowser();
  const tabs = [await buildAuthorization(standIn), await buildAuthorization(standIn)];
  const pages = [];
  for (const { url } of tabs) pages.push(await browser.follow(url, standIn.redirectUri));
  for (const { url } of pages) {
    const callback = await browser.follow(url, standIn.redirectUri, { person: teodor.sub });
    expect(new URL(callback.url).searchParams.get('code')).toBeTruthy();
  }
});

test('a typed address always gets the same sub and is verified only if the box is checked', async () => {
  const standIn = await start();
  const unverified = await getTokens(standIn, { email: ' Ada.Byron@Example.com ' });
  const verified = await getTokens(standIn, { email: 'ada.byron@example.com', verified: 'on' });
  const [first, second] = [
    await verifyIdToken(standIn, unverified.id_token),
    await verifyIdToken(standIn, verified.id_token),
  ];
  expect(first).toMatchObject({ email: 'ada.byron@example.com', email_verified: false, name: 'Ada Byron' });
  expect(second).toMatchObject({ sub: first.sub, email_verified: true });
});

test('an invalid address is rejected with 422 and shown again, escaped', async () => {
  const standIn = await start();
  const browser = newBrowser();
  const page = await browser.follow((await buildAuthorization(standIn)).url, standIn.redirectUri);
  const rejected = await browser.visit(page.url, { email: '"><script>' });
  expect(rejected.status).toBe(422);
  const html = await rejected.text();
  expect(html).toContain('value="&#34;&#62;&#60;script&#62;"');
  expect(html).not.toContain('<script');
});

test('the account page names itself a stand-in, and its policy allows only its own style', async () => {
  const standIn = await start();
  const page = await newBrowser().follow((await buildAuthorization(standIn)).url, standIn.redirectUri);
  const html = await page.response.text();
  expect(page.url).toContain(`${standIn.issuer}/choose/`);
  expect(html).toContain('stand-in for Google');
  const policy = page.response.headers.get('content-security-policy') ?? '';
  const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? '';
  expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  expect(policy).toContain(`form-action 'self' ${standIn.origin} ${new URL(standIn.redirectUri).origin}`);
});

test('cancel redirects to the shop with access_denied', async () => {
  const standIn = await start();
  const { params } = await signIn(standIn, { cancel: 'yes' });
  expect(params.get('error')).toBe('access_denied');
  expect(params.get('state')).toBe('the-state');
  expect(params.has('code')).toBe(false);
});

test('a wrong secret, a wrong verifier and an unregistered redirect URI are rejected', async () => {
  const standIn = await start();
  const { code, verifier } = await signIn(standIn, { person: marit.sub });
  const secret = await exchange(standIn, code, verifier, 'wrong');
  expect([secret.status, (await secret.json()).error]).toEqual([401, 'invalid_client']);
  const pkce = await exchange(standIn, code, randomBytes(32).toString('base64url'));
  expect([pkce.status, (await pkce.json()).error]).toEqual([400, 'invalid_grant']);

  const elsewhere = await buildAuthorization(standIn, { redirect_uri: 'http://evil.example/' });
  const rejected = await newBrowser().follow(elsewhere.url, standIn.redirectUri);
  expect(rejected.response.status).toBe(400);
  expect(await rejected.response.text()).toContain('invalid_redirect_uri');
});

test('a code works once, and reuse revokes its tokens', async () => {
  const standIn = await start();
  const { code, verifier } = await signIn(standIn, { person: marit.sub });
  const first = await exchange(standIn, code, verifier);
  const { access_token } = await first.json();
  const reuse = await exchange(standIn, code, verifier);
  expect([reuse.status, (await reuse.json()).error]).toEqual([400, 'invalid_grant']);
  expect((await fetchUserinfo(standIn, access_token)).status).toBe(401);
});

test('of concurrent exchanges of one code, at most one gets tokens', async () => {
  const standIn = await start();
  const { code, verifier } = await signIn(standIn, { person: marit.sub });
  const all = await Promise.all(Array.from({ length: 5 }, () => exchange(standIn, code, verifier)));
  expect(all.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  expect(all.filter(({ status }) => status === 400).length).toBeGreaterThanOrEqual(4);
});

test('the account page responds with 400 after the sign-in, and to another browser', async () => {
  const standIn = await start();
  const browser = newBrowser();
  const page = await browser.follow((await buildAuthorization(standIn)).url, standIn.redirectUri);
  const foreign = await newBrowser().visit(page.url, { person: marit.sub });
  expect(foreign.status).toBe(400);
  await browser.follow(page.url, standIn.redirectUri, { person: marit.sub });
  expect((await browser.visit(page.url)).status).toBe(400);
});

test('a browser that uses 127.0.0.1 is redirected to the issuer’s host', async () => {
  const standIn = await start();
  const browser = newBrowser();
  const { url } = await buildAuthorization(standIn);
  const page = await browser.follow(url.replace('//localhost', '//127.0.0.1'), standIn.redirectUri);
  expect(page.url).toContain(`${standIn.issuer}/choose/`);
  const callback = await browser.follow(page.url, standIn.redirectUri, { person: marit.sub });
  expect(new URL(callback.url).searchParams.get('code')).toBeTruthy();
});

test('keys, codes and sign-ins survive a restart', async () => {
  const before = await start();
  const browser = newBrowser();
  const page = await browser.follow((await buildAuthorization(before)).url, before.redirectUri);
  const { code, verifier } = await signIn(before, { person: marit.sub });
  const tokens = await getTokens(before, { person: teodor.sub });
  await before.stop();

  const after = await start({ file: before.file, port: before.port });
  expect(after.google.clientId).toBe(before.google.clientId);
  expect(after.google.clientSecret).toBe(before.google.clientSecret);
  expect((await verifyIdToken(after, tokens.id_token)).email).toBe(teodor.email);
  expect((await fetchUserinfo(after, tokens.access_token)).status).toBe(200);
  expect((await exchange(after, code, verifier)).status).toBe(200);
  const callback = await browser.follow(page.url, after.redirectUri, { person: marit.sub });
  expect(new URL(callback.url).searchParams.get('code')).toBeTruthy();
});

test('processes that open a new database concurrently share its secrets', async () => {
  const file = newFile();
  const options = { origin: () => 'http://localhost:3000', redirectUris: () => [] };
  const dbs = Array.from({ length: 4 }, () => openFile(file));
  const opened = await Promise.all(dbs.map((db) => openGoogle({ db, ...options })));
  expect(new Set(opened.map(({ clientId, clientSecret }) => clientId + clientSecret)).size).toBe(1);
  await Promise.all(dbs.map((db) => db.destroy()));
});

test('a failing path responds with 503 until it is removed', async () => {
  const standIn = await start();
  const { code, verifier } = await signIn(standIn, { person: marit.sub });
  standIn.google.failingPaths.add('token');
  expect((await exchange(standIn, code, verifier)).status).toBe(503);
  standIn.google.failingPaths.clear();
  expect((await exchange(standIn, code, verifier)).status).toBe(200);
  standIn.google.failingPaths.add('openid-configuration');
  expect((await fetch(standIn.origin + standIn.google.discoveryPath)).status).toBe(503);
});

test('behind a proxy that terminates TLS, URLs use the public origin and cookies are Secure', async () => {
  const file = newFile();
  const db = openFile(file);
  const google = await openGoogle({
    db,
    origin: () => 'https://shop.example',
    redirectUris: () => [`https://shop.example${CALLBACK}`],
  });
  const server = createServer(google.listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await db.destroy();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const internalOrigin = `http://127.0.0.1:${address.port}`;
  const discovery = await (await fetch(internalOrigin + google.discoveryPath)).json();
  expect(discovery).toMatchObject({
    issuer: 'https://shop.example/sandbox/google',
    token_endpoint: 'https://shop.example/sandbox/google/token',
  });
  const { pathname } = new URL(discovery.authorization_endpoint);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: google.clientId,
    scope: 'openid',
    redirect_uri: `https://shop.example${CALLBACK}`,
  });
  const response = await fetch(`${internalOrigin}${pathname}?${query}`, { redirect: 'manual' });
  expect(response.headers.get('location')).toContain('https://shop.example/sandbox/google/choose/');
  expect(response.headers.getSetCookie().length).toBeGreaterThan(0);
  for (const cookie of response.headers.getSetCookie()) expect(cookie).toMatch(/; secure/i);
});
