import { html, raw } from 'hono/html';
import type { Manifest } from '../../contract/pages.ts';
import { anchorOf, describe, type Entry } from './describe.ts';
import { type Html, print } from './html.ts';
import { tryForm } from './try-form.ts';
import type { OpenApi } from './types.ts';

type Look = Pick<Manifest, 'styles' | 'files' | 'font'>;

/** The document as a page to read and to try, by whoever has this e-mail. */
export function renderApiDocs(document: OpenApi, look: Look, email: string): Promise<string> {
  const sections = describe(document);
  const body = html`<main>
<h1>The calls of the shop</h1>
<p>Made from the contract that the shop itself keeps to. The same for programs: <a href="/api/openapi.json">openapi.json</a>.</p>
<nav aria-label="On this page">
${sections.map(({ title }) => html`<a href="#${anchorOf(title)}">${title}</a> `)}
</nav>
${whoAsks(email)}
${sections.map(
  ({ title, blocks, entries }) => html`<section id="${anchorOf(title)}"><h2>${title}</h2>
${blocks.map(print)}${entries.map((entry) => renderEntry(entry, email))}</section>`,
)}
</main>`;
  return shell('The calls of the shop', look, body);
}

/** Folded; what is told of a call stands beside its examples and the form that sends it. */
function renderEntry({ title, blocks, call }: Entry, email: string): Html {
  if (!call)
    return html`<details class="call" id="${anchorOf(title)}"><summary><h3>${title}</h3></summary>
<div>${blocks.map(print)}</div></details>`;
  const { operationId, summary } = call.operation;
  const isExample = (block: Entry['blocks'][number]) => typeof block === 'object' && 'code' in block;
  return html`<details class="call" id="${operationId}"><summary><h3>${title}</h3> <span>${summary}</span></summary>
<div><div>${blocks.filter((block) => !isExample(block)).map(print)}</div>
<div>${blocks.filter(isExample).map(print)}${tryForm(call, email)}</div></div></details>`;
}

/** What somebody reads whom it is not for. */
export function renderRefusal(look: Look): Promise<string> {
  const body = html`<main><h1>For admins</h1>
<p>How programs call the shop is shown to its admins here. <a href="/">Back to the shop</a></p></main>`;
  return shell('For admins', look, body);
}

function whoAsks(email: string): Html {
  return html`<section id="try"><h2>Try them</h2>
<fieldset>
<legend>What you send from this page is sent</legend>
<p><label><input type="radio" name="as" value="cookie" checked> as you, ${email}: by the cookie of your session</label></p>
<p><label><input type="radio" name="as" value="token"> with a bearer token</label>
<input id="token" type="password" aria-label="Bearer token" autocomplete="off" spellcheck="false"></p>
<p><label><input type="radio" name="as" value="nobody"> as nobody</label></p>
</fieldset>
<p><button type="button" id="unfold">Unfold all calls, or fold them</button></p></section>`;
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
<header class="title-rule"><a href="/">Hand-Tools Shop</a> <a href="/dashboard">Dashboard</a></header>
${body}
</body>
</html>`;
  return page.toString();
}
