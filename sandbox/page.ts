import { createHash } from 'node:crypto';

const commonStyle = `
:root{color-scheme:light dark;--paper:#f7f2e8;--leaf:#fffcf6;--ink:#211d17;--soft:#5e564a;--press:#1f3f73;--ruby:#9b1c31;--edge:#857a69;--rule:#d9cfbd}
@media(prefers-color-scheme:dark){:root{--paper:#16130f;--leaf:#1f1b16;--ink:#f1e9da;--soft:#b9ae9b;--press:#9dbdf2;--ruby:#f49aa6;--rule:#3a342b}}
*{box-sizing:border-box}
body{margin:0;padding:16px;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{margin:0 auto;padding:24px;background:var(--leaf);border:1px solid var(--rule)}
@media(min-width:640px){main{padding:40px}}
h1{margin:24px 0 0;font-size:1.75rem;line-height:1.2;font-weight:500;overflow-wrap:anywhere}
p{margin:8px 0 0;overflow-wrap:anywhere}
a,summary{color:var(--press)}
.notice{margin:0;padding:8px 16px;border-left:4px solid var(--edge);color:var(--soft);font-size:.875rem}
small{display:block;color:var(--soft);font-size:.875rem;overflow-wrap:anywhere}
ul{margin:24px 0 0;padding:0;list-style:none;border-top:1px solid var(--rule)}
li{border-bottom:1px solid var(--rule)}
:focus-visible{outline:3px solid var(--press);outline-offset:2px}`;

/** A stand-in's pages. `name` ends each title; `notice` is HTML; `ownStyle` is added to the common style sheet. */
export function createPages({ name, notice, ownStyle }: { name: string; notice: string; ownStyle: string }) {
  const style = commonStyle + ownStyle;
  return {
    /** For the security policy. */
    styleHash: createHash('sha256').update(style).digest('base64'),
    /** Renders a page; `body` is HTML. */
    render: (title: string, body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>${escapeHtml(title)} – ${name}</title><style>${style}</style></head>
<body><main><p class="notice">${notice}</p>
<h1>${escapeHtml(title)}</h1>
${body}</main></body></html>`,
  };
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
