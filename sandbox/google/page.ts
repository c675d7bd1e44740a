import { createPages, escapeHtml } from '../page.ts';
import { people } from './people.ts';

const pages = createPages({
  name: 'stand-in for Google',
  notice: 'This is a stand-in for Google. It has no real accounts and asks for no password.',
  ownStyle: `
main{max-width:432px}
@media(min-width:640px){body{padding:64px 16px}}
.wrong{color:var(--ruby)}
details{border-bottom:1px solid var(--rule)}
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
.cancel{margin-top:24px}`,
});

/**
 * The security headers of every response. `formTargets` are the origins that the form may redirect to: browsers apply
 * `form-action` to the whole redirect chain, and the shop may use another host name.
 */
export function buildSecurityHeaders(formTargets: string[]) {
  return {
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${pages.styleHash}'; form-action 'self' ${[...new Set(formTargets)].join(' ')}; frame-ancestors 'none'; base-uri 'none'`,
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
  return pages.render(
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
  return pages.render(
    title,
    `<p>${escapeHtml(detail)}</p><p><a href="${escapeHtml(shop)}">Back to the shop</a></p>`,
  );
}
