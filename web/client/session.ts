import type { Viewer, WebSettings } from '../../contract/pages.ts';
import type { FormSender } from '../forms/form-results.ts';
import { isRecordedUser, recordSignedInUser, setAccountChange } from './account-changes.ts';
import { type Client, createClient } from './api/client.ts';
import { callIdentity, expectedUserHeader, IdentityError, readSession, signOut } from './api/identity.ts';

/** The browser's session: the signed-in user, the stored token and the API client that sends it. */
type Session = FormSender & {
  settings: WebSettings;
  callIdentity: (path: string, body?: object) => Promise<unknown>;
  /** A client for the loaders of one navigation. They read as the user who was signed in when the navigation started. */
  createLoaderClient(): Client;
  viewer(): Viewer | undefined;
  /** Fetches the signed-in user and stores their token. Call it after sign-in. */
  refresh(): Promise<Viewer | undefined>;
  /** Clears the local state after the session has ended on the server. */
  clear(): void;
  /** Signs out and removes the token. */
  signOut(): Promise<void>;
  /** Sets the user whose account the page shows. */
  setPageViewer(viewer: Viewer | undefined): void;
  /** Refreshes the session if another window has signed in or out. */
  checkAccount(): Promise<void>;
};

let opened: Session | undefined;

/** The browser's session. Call it in event handlers and effects only: there is none on the server. */
export function getSession(): Session {
  if (!opened) throw new Error('openSession() has not been called: there is no session on the server.');
  return opened;
}

/** Opens the session that the page was rendered for. The first API call waits until the stored token belongs to this session. */
export function openSession(settings: WebSettings, initialViewer: Viewer | undefined): Session {
  let viewer = initialViewer;
  let pageViewer = initialViewer;
  const base = location.origin + settings.apiBase;
  recordSignedInUser(viewer);

  async function send(request: Request): Promise<Response> {
    const response = await fetch(request);
    // Otherwise the sign-in page would consider the user signed in and redirect them back.
    if (response.status === 401) clear();
    if (response.status === otherAccountStatus) await showAccountChange().catch(() => {});
    return response;
  }

  /** Creates a client whose calls the shop rejects if a user other than `getPerson()` is signed in. */
  const createPersonalClient = (getPerson: () => Viewer | undefined) =>
    createClient({
      fetch: async (request) => {
        const person = getPerson();
        await checkAccount();
        if (person) request.headers.set(expectedUserHeader, person._id);
        return send(request);
      },
      base,
      token: async () => {
        await tokenReady;
        return localStorage.getItem('token') ?? undefined;
      },
    });

  // Bypasses the account check, which itself needs a token.
  const { call } = createClient({ fetch: send, base });

  function clear(): void {
    dropToken();
    viewer = undefined;
    recordSignedInUser(viewer);
  }

  async function checkAccount(): Promise<void> {
    if (pageViewer && !isRecordedUser(viewer)) await showAccountChange();
  }

  async function showAccountChange(): Promise<void> {
    await refresh();
    setAccountChange(pageViewer && pageViewer._id !== viewer?._id ? { viewer } : undefined);
  }

  // The stored token may belong to another account or an older session: the page's own session wins.
  async function refreshToken(): Promise<void> {
    const owner = viewer && `${viewer.session} ${localStorage.getItem('token')}`;
    if (owner && owner === localStorage.getItem('token-session')) return;
    dropToken();
    if (!viewer) return;
    const { email, session: id } = viewer;
    const { token } = await call('saveUser', { params: { email }, body: { email } });
    localStorage.setItem('token', token);
    localStorage.setItem('token-session', `${id} ${token}`);
  }

  // Without a token, calls rely on the cookie.
  const prepareToken = () => refreshToken().catch(() => {});
  let tokenReady = prepareToken();

  async function refresh(): Promise<Viewer | undefined> {
    const current = parseViewer(await readSession());
    const signsInWith = current?._id === viewer?._id && viewer?.signsInWith;
    viewer = current && { ...current, ...(signsInWith ? { signsInWith } : {}) };
    recordSignedInUser(viewer);
    tokenReady = prepareToken();
    await tokenReady;
    return viewer;
  }

  opened = {
    client: createPersonalClient(() => pageViewer),
    createLoaderClient() {
      const reader = viewer;
      return createPersonalClient(() => reader);
    },
    async callIdentity(path, body) {
      await checkAccount();
      return callIdentity(path, body, pageViewer?._id).catch(async (error: unknown) => {
        if (error instanceof IdentityError && error.status === otherAccountStatus)
          await showAccountChange().catch(() => {});
        throw error;
      });
    },
    settings,
    viewer: () => viewer,
    refresh,
    clear,
    async signOut() {
      dropToken();
      await signOut();
      viewer = undefined;
      recordSignedInUser(viewer);
    },
    setPageViewer(newPageViewer) {
      pageViewer = newPageViewer;
    },
    checkAccount,
  };
  return opened;
}

/** The status of a response to a request that names a user other than the one who is signed in. */
const otherAccountStatus = 412;

function dropToken(): void {
  localStorage.removeItem('token');
  localStorage.removeItem('token-session');
}

function parseViewer(session: Awaited<ReturnType<typeof readSession>>): Viewer | undefined {
  if (!session) return undefined;
  const { user } = session;
  const text = (field: string) => (typeof user[field] === 'string' ? user[field] : '');
  return {
    _id: text('id'),
    session: session.id,
    name: text('name'),
    email: text('email'),
    emailVerified: user.emailVerified === true,
    ...(user.role === 'admin' ? { role: 'admin' as const } : {}),
    ...(user.adminStep === 'setup' || user.adminStep === 'code' ? { adminStep: user.adminStep } : {}),
    twoFactor: user.twoFactorEnabled === true,
    address: text('address'),
    phone: text('phone'),
    education: text('education'),
    linkedIn: text('linkedIn'),
  };
}
