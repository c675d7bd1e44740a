import { createHash } from 'node:crypto';
import { people } from './people.ts';

const style = `
:root{color-scheme:light dark;--paper:#f7f2e8;--leaf:#fffcf6;--ink:#211d17;--soft:#5e564a;--press:#1f3f73;--ruby:#9b1c31;--edge:#857a69;--rule:#d9cfbd}
@media(prefers-color-scheme:dark){:root{--paper:#16130f;--leaf:#1f1b16;--ink:#f1e9da;--soft:#b9ae9b;--press:#9dbdf2;--ruby:#f49aa6;--rule:#3a342b}}
*{box-sizing:border-box}
body{margin:0;padding:16px;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:432px;margin:0 auto;padding:24px;background:var(--leaf);border:1px solid var(--rule)}
@media(min-width:640px){body{padding:64px 16px}main{padding:40px}}
h1{margin:24px 0 0;font-size:1.75rem;line-height:1.2;font-weight:500}
p{margin:8px 0 0;overflow-wrap:anywhere}
a,summary{color:var(--press)}
.notice{margin:0;padding:8px 16px;border-left:4px solid var(--edge);color:var(--soft);font-size:.875rem}
small{display:block;color:var(--soft);font-size:.875rem;overflow-wrap:anywhere}
.wrong{color:var(--ruby)}
ul{margin:24px 0 0;padding:0;list-style:none;border-top:1px solid var(--rule)}
li,details{border-bottom:1px solid var(--rule)}
button,input{min-height:48px;padding:8px 16px;border:1px solid var(--edge);background:none;font:inherit;color:inherit}
button,summary{cursor:pointer}
button:hover,summary:hover{text-decoration:underline}
li button{display:flex;gap:16px;align-items:center;width:100%;padding:16px 8px;border:0;text-align:left}
b{flex:none;width:40px;border-radius:20px;background:var(--press);color:var(--leaf);font-weight:400;line-height:40px;text-align:center}
summary{padding:16px 8px}
details form{padding:0 8px 24px}
label{display:block}
[type=email]{width:100%;margin-top:4px;background:var(--paper)}
.check{display:flex;gap:12px;align-items:center;min-height:48px;margin:8px 0 16px}
[type=checkbox]{flex:none;width:20px;min-height:20px;margin:0;accent-color:var(--press)}
.go{background:var(--press);border-color:var(--press);color:var(--leaf)}
.cancel{margin-top:24px}
:focus-visible{outline:3px solid var(--press);outline-offset:2px}`;

/**
 * The security headers of every response. `formTargets` are the origins that the form may redirect to: browsers apply
 * `form-action` to the whole redirect chain, and the shop may use another host name.
 */
export function buildSecurityHeaders(formTargets: string[]) {
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self' ${[...new Set(formTargets)].join(' ')}; frame-ancestors 'none'; base-uri 'none'`,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
}

/** Renders the "Choose an account" page. `shop` is the shop's host; `invalidEmail` is the rejected input to show again. */
export function renderChoicePage({
  shop,
  verified,
  invalidEmail,
}: {
  shop: string;
  verified: boolean;
  invalidEmail?: string;
}) {
  const isInvalid = invalidEmail !== undefined;
  return renderPage(
    'Choose an account',
    `<p>to continue to <strong>${escapeHtml(shop)}</strong></p>
<form method="post"><ul>${people.map(renderPerson).join('')}</ul></form>
<details${isInvalid ? ' open' : ''}><summary>Use another email address</summary><form method="post" novalidate>
<label for="email">Email address</label>
<input type="email" id="email" name="email" maxlength="254" autocomplete="off" value="${escapeHtml(invalidEmail ?? '')}"${isInvalid ? ' aria-invalid="true" aria-describedby="wrong" autofocus' : ''}>
${isInvalid ? '<p class="wrong" id="wrong">Enter a complete email address, such as name@mail.example.</p>' : ''}
<label class="check"><input type="checkbox" name="verified"${verified ? ' checked' : ''}> This address is verified</label>
<button class="go">Continue</button></form></details>
<form method="post" class="cancel"><button name="cancel" value="yes">Cancel</button></form>`,
  );
}

function renderPerson({ sub, name, email }: (typeof people)[number]) {
  return `<li><button name="person" value="${sub}"><b aria-hidden="true">${name.charAt(0)}</b><span>${name}<small>${email}</small></span></button></li>`;
}

/** Renders the page of a sign-in that cannot continue; `shop` is the URL to start again from. */
export function renderErrorPage(detail: string, shop: string) {
  const title = 'This sign-in cannot continue';
  return renderPage(
    title,
    `<p>${escapeHtml(detail)}</p><p><a href="${escapeHtml(shop)}">Back to the shop</a></p>`,
  );
}

function renderPage(title: string, body: string) {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>${title} – stand-in for Google</title><style>${style}</style></head>
<body><main><p class="notice">This is a stand-in for Google. It has no real accounts and asks for no password.</p>
<h1>${title}</h1>
${body}</main></body></html>`;
}

function escapeHtml(text: string) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
