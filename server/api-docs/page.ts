import { html, raw } from 'hono/html';
import { groups, guide } from '../../contract/guide.ts';
import type { Manifest } from '../../contract/pages.ts';
import { describeGroup, fieldTable } from './call.ts';
import { fieldsOf } from './fields.ts';
import { example, type Html, prose } from './html.ts';
import { answeredSchemas, callsOf } from './reading.ts';
import type { OpenApi } from './types.ts';

type Look = Pick<Manifest, 'styles' | 'files' | 'font'>;

/** The document as a page to read and to try, by whoever has this e-mail. */
export async function renderApiDocs(document: OpenApi, look: Look, email: string): Promise<string> {
  const names = Object.keys(groups);
  const body = html`<nav aria-label="Calls">
<h2>On this page</h2>
<ul class="parts">
${guide.map(({ title }) => html`<li><a href="#${slug(title)}">${title}</a></li>`)}
<li><a href="#try">Try them</a></li>
</ul>
${names.map(
  (name) => html`<h3><a href="#${name}">${name}</a></h3>
<ul>${callsOf(document, name).map(
    ({ method, path, operation }) =>
      html`<li><a href="#${operation.operationId}"><span class="method" data-method="${method}">${method}</span> ${path.replace(/^\/api/, '')}</a></li>`,
  )}</ul>`,
)}
<h3><a href="#Schemas">What is answered</a></h3>
</nav>
<main>
<h1>The calls of the shop</h1>
<p class="lead">Made from the contract that the shop itself keeps to. The same for programs: <a href="/api/openapi.json">openapi.json</a>.</p>
${guide.map(
  ({ title, text, example: shown }) => html`<section id="${slug(title)}"><h2>${title}</h2>
${prose(text)}${shown ? example('Example', shown) : ''}</section>`,
)}
${whoAsks(email)}
${Object.entries(groups).map(
  ([name, about]) => html`<section id="${name}"><h2>${name}</h2>
${prose(about)}${describeGroup(document, name, email)}</section>`,
)}
<section id="Schemas"><h2>What is answered</h2>
${answeredSchemas(document).map(
  ([name, schema]) => html`<details class="call" id="${name}"><summary><h3>${name}</h3></summary>
<div>${fieldsOf(schema).map((fields) => fieldTable(name, fields))}</div></details>`,
)}</section>
</main>`;
  return shell('The calls of the shop', look, body);
}

/** What somebody reads whom it is not for. */
export function renderRefusal(look: Look): Promise<string> {
  const body = html`<main><h1>For admins</h1>
<p>How programs call the shop is shown to its admins here. <a href="/">Back to the shop</a></p></main>`;
  return shell('For admins', look, body);
}

function whoAsks(email: string): Html {
  return html`<section id="try"><h2>Try them</h2>
<fieldset class="as">
<legend>What you send from this page is sent</legend>
<p><label><input type="radio" name="as" value="cookie" checked> as you, ${email}: by the cookie of your session</label></p>
<p><label><input type="radio" name="as" value="token"> with a bearer token</label>
<input id="token" type="password" aria-label="Bearer token" autocomplete="off" spellcheck="false"></p>
<p><label><input type="radio" name="as" value="nobody"> as nobody</label></p>
</fieldset>
<p><button type="button" id="unfold">Unfold all calls</button></p></section>`;
}

async function shell(title: string, { styles, files, font }: Look, body: Html): Promise<string> {
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Hand-Tools Shop</title>
<meta name="robots" content="noindex">
<link rel="icon" href="${files['icon.svg']}" type="image/svg+xml">
<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin>
<style>${raw(styles)}</style>
<link rel="stylesheet" href="${files['api-docs.css']}">
<script src="${files['api-docs.js']}" type="module"></script>
</head>
<body class="docs">
<header><a class="shop" href="/">Hand-Tools Shop</a> <a href="/dashboard">Dashboard</a></header>
${body}
</body>
</html>`;
  return page.toString();
}

const slug = (title: string) => title.toLowerCase().replaceAll(' ', '-');
