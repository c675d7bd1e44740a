import { html } from 'hono/html';
import type { Html } from './html.ts';
import type { Told } from './reading.ts';
import type { Parameter } from './types.ts';

/** Whom the examples are about: in a form it is who is looking. */
const somebody = 'customer@example.com';

/** A form that sends a call (`web/api-docs/try.ts`), filled with its example. */
export function tryForm({ method, path, operation }: Told, email: string): Html {
  const { operationId, summary, parameters = [], requestBody } = operation;
  if (parameters.some(({ name }) => name === 'Stripe-Signature'))
    return html`<p>Only the payment provider can send it: it signs what it sends.</p>`;
  const own = (value: unknown) => (value === somebody ? email : `${value ?? ''}`);
  const json = requestBody?.content['application/json'];
  const body =
    json?.example === undefined ? '' : JSON.stringify(json.example, null, 2).replaceAll(somebody, email);
  const field = ({ name, in: place, example, required }: Parameter) => {
    // A key of its own for each new thing; and `after` is the list's to fill.
    const value = place === 'header' ? crypto.randomUUID() : own(example);
    return html`<p><label for="${operationId}-${name}">${name}</label>
<input id="${operationId}-${name}" name="${name}" data-in="${place}" value="${value}" autocomplete="off" spellcheck="false"${required ? ' required' : ''}></p>`;
  };
  return html`<form class="try" data-method="${method}" data-path="${path}" aria-label="Try: ${summary}">
${parameters.filter(({ name }) => name !== 'If-None-Match').map(field)}
${
  json
    ? html`<p><label for="${operationId}-body">Body</label>
<textarea id="${operationId}-body" name="body" rows="${Math.min(body.split('\n').length + 1, 14)}" spellcheck="false">${body}</textarea></p>`
    : ''
}
${
  requestBody?.content['multipart/form-data']
    ? html`<p><label for="${operationId}-image">Picture</label>
<input id="${operationId}-image" name="image" type="file" accept="image/*"></p>`
    : ''
}
<p><button type="submit">Send</button>
${method === 'GET' ? '' : 'It is sent to this shop: what it changes is changed.'}</p>
<div class="answered" hidden>
<p role="status"></p>
<pre><code></code></pre>
<p><button type="button" class="more" hidden>Next page</button></p>
</div>
</form>`;
}
