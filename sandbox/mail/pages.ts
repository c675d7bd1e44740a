import { createPages, escapeHtml } from '../page.ts';
import type { Inbox, ReceivedMail } from './inbox.ts';

const pages = createPages({
  name: 'sandbox mail',
  notice:
    'All email from this sandbox arrives here. None of it leaves this machine. <a href="/">Back to the shop</a>',
  ownStyle: `
main{max-width:760px}
@media(min-width:640px){body{padding:40px 16px}}
@media(max-width:639px){main{padding:24px 16px}}
li a{display:block;padding:12px 8px;text-decoration:none;overflow-wrap:anywhere}
li a:hover{text-decoration:underline}
nav{display:flex;flex-wrap:wrap;gap:8px 16px;margin:16px 0}
nav a{min-height:44px;padding:10px 0}
nav [aria-current]{color:var(--ink);text-decoration:none;font-weight:600}
dl{display:grid;grid-template-columns:auto 1fr;gap:4px 16px;margin:16px 0;color:var(--soft);font-size:.875rem;overflow-wrap:anywhere}
dd{margin:0;color:var(--ink)}
pre{margin:0;padding:16px;border:1px solid var(--rule);background:var(--paper);white-space:pre-wrap;overflow-wrap:anywhere;font-size:.875rem}
iframe{width:100%;min-height:75vh;resize:vertical;border:1px solid var(--rule);background:var(--paper)}`,
});

/** The list needs only the headers of each message, so it reads only the start. */
const maxHeaderLength = 8000;

const base = '/sandbox/mail';
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  // Links in messages contain secrets.
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};
const pagePolicy = `default-src 'none'; style-src 'sha256-${pages.styleHash}'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
/** A message may style itself, link to the shop and show its images, and nothing else. */
const messagePolicy = `default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-top-navigation-by-user-activation allow-popups`;

const views = ['html', 'text', 'source'] as const;
type View = (typeof views)[number];
const viewNames: Record<View, string> = { html: 'HTML', text: 'Text', source: 'Source' };

/** The pages of the inbox: the list, a message as HTML, text or source, and the HTML alone for its frame. */
export async function serveInbox(inbox: Inbox, request: Request): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return new Response('Method not allowed', { status: 405, headers: { Allow: 'GET, HEAD' } });
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === base) return respond(renderList(await listMessages(inbox)));
  const [, id = '', part] = /^\/sandbox\/mail\/([\w-]{36})(\/frame)?$/.exec(pathname) ?? [];
  const row = id ? await inbox.find(id) : undefined;
  if (!row)
    return respond(pages.render('Message not found', `<p><a href="${base}">All messages</a></p>`), 404);
  const message = await parse(row);
  if (part) return respondWithMessage(message.html ?? '');
  const view = views.find((name) => name === searchParams.get('view')) ?? 'html';
  return respond(renderMessage(row, message, view));
}

/** Imported on first use, because most processes never show the inbox. */
async function parse({ raw }: Pick<ReceivedMail, 'raw'>) {
  const { default: PostalMime } = await import('postal-mime');
  return PostalMime.parse(raw);
}
type Parsed = Awaited<ReturnType<typeof parse>>;

async function listMessages(inbox: Inbox) {
  const rows = await inbox.list();
  return Promise.all(
    rows.map(async (row) => {
      const { subject = '' } = await parse({ raw: row.raw.slice(0, maxHeaderLength) });
      return { ...row, subject };
    }),
  );
}

function renderList(messages: Awaited<ReturnType<typeof listMessages>>): string {
  const items = messages.map(
    ({ id, recipients, received_at, subject }) =>
      `<li><a href="${base}/${id}">${escapeHtml(subject || '(no subject)')}<small>to ${escapeHtml(recipients)} · ${formatTime(received_at)}</small></a></li>`,
  );
  return pages.render(
    'Inbox',
    items.length > 0
      ? `<ul>${items.join('')}</ul>`
      : '<p>No messages yet. Sign up or place an order, then reload this page.</p>',
  );
}

function renderMessage({ id, recipients, received_at, raw }: ReceivedMail, message: Parsed, view: View) {
  const links = views.map(
    (name) =>
      `<a href="${base}/${id}?view=${name}"${name === view ? ' aria-current="page"' : ''}>${viewNames[name]}</a>`,
  );
  const content = {
    html: `<iframe src="${base}/${id}/frame" height="${estimateHeight(message.text ?? '')}" title="Message" sandbox="allow-top-navigation-by-user-activation allow-popups"></iframe>`,
    text: `<pre>${linkAddresses(message.text ?? '')}</pre>`,
    source: `<pre>${escapeHtml(raw)}</pre>`,
  };
  return pages.render(
    message.subject || '(no subject)',
    `<dl><dt>From</dt><dd>${escapeHtml(formatAddress(message))}</dd><dt>To</dt><dd>${escapeHtml(recipients)}</dd><dt>Received</dt><dd>${formatTime(received_at)}</dd></dl>
<nav aria-label="View"><a href="${base}">All messages</a>${links.join('')}</nav>
${content[view]}`,
  );
}

/** Estimates a message's height on a phone, so that its frame need not scroll. The page cannot measure what is in the frame. */
function estimateHeight(text: string): number {
  const lines = text.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / phoneLineLength), 0);
  return 260 + lines * 26;
}

const phoneLineLength = 38;

function formatAddress({ from }: Parsed): string {
  return from?.address ? `${from.name} <${from.address}>`.trim() : '';
}

const formatTime = (at: number) => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Escapes text and turns its web addresses into links. */
const linkAddresses = (text: string) =>
  escapeHtml(text).replace(/https?:\/\/[^\s<>]+/g, (address) => `<a href="${address}">${address}</a>`);

/** Links open in the whole window, not in the frame. */
function respondWithMessage(html: string): Response {
  return new Response(`<base target="_top">${html}`, {
    headers: { ...headers, 'Content-Security-Policy': messagePolicy },
  });
}

const respond = (html: string, status = 200) =>
  new Response(html, { status, headers: { ...headers, 'Content-Security-Policy': pagePolicy } });
