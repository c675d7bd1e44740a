import { html } from 'hono/html';
import type { Block } from './describe.ts';

/** Markup in which every text that was put into it is escaped. */
export type Html = ReturnType<typeof html>;

export function print(block: Block): Html | Html[] {
  if (typeof block === 'string') return prose(block);
  if ('code' in block) return html`<pre><code>${block.code}</code></pre>`;
  return html`<table>
<thead><tr>${block.columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${block.rows.map((row) => html`<tr>${row.map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`)}</tbody>
</table>`;
}

const prose = (text: string): Html[] =>
  text
    .split('\n\n')
    .map((block) =>
      block.startsWith('- ')
        ? html`<ul>${block.split('\n').map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`
        : html`<p>${inline(block)}</p>`,
    );

const inline = (text: string): Html[] =>
  text.split(/(`[^`]*`|\[\w+\]\(#[\w-]+\))/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
    const [, words, place] = /^\[(\w+)\]\((.+)\)$/.exec(part) ?? [];
    return place === undefined ? html`${part}` : html`<a href="${place}">${words}</a>`;
  });
