import { html } from 'hono/html';

/** Markup in which every text that was put into it is escaped. */
export type Html = ReturnType<typeof html>;

/** A text whose code stands in backquotes. */
export function inline(text: string): Html[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** Paragraphs and lists, as `contract/guide.ts` writes them. */
export function prose(text: string): Html[] {
  return text
    .trim()
    .split('\n\n')
    .map((block) =>
      block.startsWith('- ')
        ? html`<ul>${block.split('\n').map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`
        : html`<p>${inline(block)}</p>`,
    );
}

/** A ruled table; on a phone its rows become cards whose cells say what they are. */
export function table(caption: string, columns: string[], rows: Html[][]): Html {
  return html`<table>
<caption>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table>`;
}

export const example = (label: string, text: string): Html =>
  html`<figure><figcaption>${label}</figcaption><pre><code>${text}</code></pre></figure>`;
