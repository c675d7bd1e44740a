import { html } from 'hono/html';
import { type Field, fieldsOf, nameOf, typeOf } from './fields.ts';
import { example, type Html, inline, table } from './html.ts';
import { callsOf, curlOf, doneOf, errorsOf, resolve, type Told } from './reading.ts';
import { tryForm } from './try-form.ts';
import type { OpenApi, Schema } from './types.ts';

/** The calls of a group, folded, each with all that is to be known of it and a form that sends it. */
export function describeGroup(document: OpenApi, name: string, email: string): Html[] {
  return callsOf(document, name).map((call) => describeCall(document, call, email));
}

function describeCall(document: OpenApi, call: Told, email: string): Html {
  const { method, path, operation } = call;
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  const sent = requestBody?.content['application/json'] ?? requestBody?.content['multipart/form-data'];
  const { status, media, headers } = doneOf(operation);
  const shown = headers.filter((header) => header !== 'X-Request-Id').map((header) => `\`${header}\``);
  return html`<details class="call" id="${operationId}">
<summary><h3><span class="method" data-method="${method}">${method}</span> <code>${path}</code></h3> <span class="about">${summary}</span></summary>
<div class="told">
<div>
<p>${description}</p>
${
  parameters.length > 0
    ? table(
        'Parameters',
        ['Name', 'In', 'What it is'],
        parameters.map(({ name, in: place, schema, required = false, description: about = '' }) => [
          html`<code>${name}</code>`,
          html`${place}`,
          tell({ type: typeOf(schema), required, about }),
        ]),
      )
    : ''
}
${sent ? describeBody('Sent', resolve(document, sent.schema)) : ''}
${media ? describeBody(`Answered, with ${status}`, media.schema) : ''}
${shown.length > 0 ? html`<p>With ${inline(shown.join(', '))} in its headers.</p>` : ''}
${table(
  'Refused',
  ['Status', 'Type', 'Why'],
  errorsOf(operation).map(({ status, types, about }) => [
    html`${status}`,
    html`${types.map((type) => html`<code>${type.replace('urn:problem:', '')}</code> `)}`,
    html`${about}`,
  ]),
)}
</div>
<div>
${example('Example', curlOf(call))}
${media?.example === undefined ? '' : example(`Its answer, ${status}`, JSON.stringify(media.example, null, 2))}
${tryForm(call, email)}
</div>
</div>
</details>`;
}

function describeBody(title: string, schema: Schema): Html {
  const named = nameOf(schema);
  if (named)
    return html`<p><b>${title}:</b> ${named.list ? 'a list of' : 'one'} <a href="#${named.name}">${named.name}</a>.</p>`;
  const choices = fieldsOf(schema);
  if (choices.length === 0) return html`<p><b>${title}:</b> ${inline(typeOf(schema))}.</p>`;
  return html`${choices.map((fields, at) => fieldTable(at === 0 ? title : `${title}, or`, fields))}`;
}

export const fieldTable = (caption: string, fields: Field[]): Html =>
  table(
    caption,
    ['Field', 'What it is'],
    fields.map((field) => [html`<code>${field.name}</code>`, tell(field)]),
  );

const tell = ({ type, required, about }: Pick<Field, 'type' | 'required' | 'about'>): Html =>
  html`<span class="type">${inline(type)}${required ? '' : '; optional'}</span> ${inline(about)}`;
