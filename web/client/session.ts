import type { Viewer, WebSettings } from '../../contract/pages.ts';
import type { CallName } from '../../contract/paths.ts';
import type { Problem } from '../../contract/problem.ts';
import { CallFailed, createClient } from './client.ts';
import { ask, readSession, signOut } from './identity.ts';
import { announce, isAnnounced, noteChange } from './other-window.ts';
import type { Sender } from '../forms/shop-form.ts';

/** The calls that carry the stored token, as the specification says; all others go by the session's cookie alone. */
const bearer: ReadonlySet<CallName> = new Set<CallName>([
  'isAdmin',
  'listUsers',
  'makeAdmin',
  'addProduct',
  'deleteProduct',
  'addReview',
  'hideReview',
  'showReview',
  'listOwnOrders',
  'getOrder',
  'shipOrder',
  'markOrderPaid',
  'createPaymentIntent',
]);

/** The browser's side of being signed in: who it is, the token that they call with, and the client that carries it. */
type Session = Sender & {
  settings: WebSettings;
  viewer(): Viewer | undefined;
  /** Asks who is signed in now and stores their token. To be called after sign-in. */
  refresh(): Promise<Viewer | undefined>;
  /** The session has ended on the server: nobody is signed in here any more. */
  forget(): void;
  /** Signs out and drops the token. */
  end(): Promise<void>;
  /** The page now shows this person's account. */
  show(viewer: Viewer | undefined): void;
  /** Finds out who is signed in if another window has announced a change. */
  check(): Promise<void>;
  /** Throws if this page shows an account other than the one that is signed in now. */
  confirm(): Promise<void>;
};

let opened: Session | undefined;

/** The session of this browser; there is none on the server, so only event handlers and effects may ask. */
export function session(): Session {
  if (!opened) throw new Error('The session is opened by the browser only.');
  return opened;
}

/** Opens the session that the page was made for. Its first call waits until the stored token is its own. */
export function openSession(settings: WebSettings, shown: Viewer | undefined): Session {
  let viewer = shown;
  let page = shown;
  const base = location.origin + settings.apiBase;
  announce(viewer);

  async function send(request: Request): Promise<Response> {
    const response = await fetch(request);
    // Otherwise the sign-in page would take the visitor for signed in and send them back.
    if (response.status === 401) forget();
    return response;
  }

  const client = createClient({
    fetch: async (request) => {
      // A loader reads as whoever is signed in when it starts; the page then shows that person's account.
      const before = viewer?._id;
      await check();
      if (request.method !== 'GET' || viewer?._id !== before) refuseOtherAccount();
      return send(request);
    },
    base,
    token: async (call, wanted) => {
      if (!wanted && !bearer.has(call)) return undefined;
      await settled;
      return localStorage.getItem('token') ?? undefined;
    },
  });

  // Not subject to the check, which itself needs a token.
  const { call } = createClient({ fetch: send, base });

  function forget(): void {
    dropToken();
    viewer = undefined;
    announce(viewer);
  }

  async function check(): Promise<void> {
    if (!page || isAnnounced(viewer)) return;
    await refresh();
    noteChange(page && page._id !== viewer?._id ? { viewer } : undefined);
  }

  function refuseOtherAccount(): void {
    if (page && viewer && page._id !== viewer._id) throw new CallFailed(otherAccount(viewer));
  }

  // Another tab, another account or an older session may have left its token: this page's session decides.
  async function keepToken(): Promise<void> {
    const own = viewer && `${viewer.session} ${localStorage.getItem('token')}`;
    if (own && own === localStorage.getItem('token-session')) return;
    dropToken();
    if (!viewer) return;
    const { email, session: id } = viewer;
    const { token } = await call('saveUser', { params: { email }, body: { email } });
    localStorage.setItem('token', token);
    localStorage.setItem('token-session', `${id} ${token}`);
  }

  // Where the token cannot be had, calls go by the cookie.
  const settle = () => keepToken().catch(() => {});
  let settled = settle();

  async function refresh(): Promise<Viewer | undefined> {
    const found = readViewer(await readSession());
    const known = found?._id === viewer?._id && viewer?.signsInWith;
    viewer = found && { ...found, ...(known ? { signsInWith: known } : {}) };
    announce(viewer);
    settled = settle();
    await settled;
    return viewer;
  }

  opened = {
    client,
    askIdentity: ask,
    settings,
    viewer: () => viewer,
    refresh,
    forget,
    async end() {
      dropToken();
      await signOut();
      viewer = undefined;
      announce(viewer);
    },
    show(shown) {
      page = shown;
    },
    check,
    async confirm() {
      await check();
      refuseOtherAccount();
    },
  };
  return opened;
}

const otherAccount = ({ name, email }: Viewer): Problem => ({
  type: 'urn:problem:other_account',
  title: 'Another account is signed in',
  status: 412,
  detail: `You are now signed in as ${name} (${email}). Nothing was sent. Reload the page to continue as ${name}.`,
  requestId: '',
});

function dropToken(): void {
  localStorage.removeItem('token');
  localStorage.removeItem('token-session');
}

function readViewer(found: Awaited<ReturnType<typeof readSession>>): Viewer | undefined {
  if (!found) return undefined;
  const { user } = found;
  const text = (field: string) => (typeof user[field] === 'string' ? user[field] : '');
  return {
    _id: text('id'),
    session: found.id,
    name: text('name'),
    email: text('email'),
    ...(user.role === 'admin' ? { role: 'admin' as const } : {}),
    address: text('address'),
    phone: text('phone'),
    education: text('education'),
    linkedIn: text('linkedIn'),
  };
}
