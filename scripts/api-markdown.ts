import { groups, guide } from '../contract/guide.ts';
import { type Field, fieldsOf, nameOf, typeOf } from '../server/api-docs/fields.ts';
import {
  answeredSchemas,
  callsOf,
  curlOf,
  doneOf,
  errorsOf,
  resolve,
  type Told,
} from '../server/api-docs/reading.ts';
import type { OpenApi, Schema } from '../server/api-docs/types.ts';
import { makeOpenApi } from '../server/openapi.ts';
import { markdownTable } from './markdown-table.ts';

/** docs/api.md: the calls as the contract has them, laid out as Biome does. */
export function describeCalls(): string {
  const document = makeOpenApi('');
  return `${[
    '# The calls of the shop',
    '<!-- Made from `contract/` by `npm run api-docs`: whoever changes one of these words changes it there. -->',
    'This page is for whoever writes a client. A running shop gives the same as `/api/openapi.json` (OpenAPI 3.1), and shows it to its admins, to read and to try, at `/api/docs`.',
    ...guide.flatMap(({ title, text, example }) => [
      `## ${title}`,
      text.trim(),
      ...(example ? [fenced(example)] : []),
    ]),
    '## All calls',
    overview(document),
    ...Object.entries(groups).flatMap(([name, about]) => [
      `## ${name}`,
      about,
      ...callsOf(document, name).flatMap((call) => describeCall(document, call)),
    ]),
    ...describeSchemas(document),
  ].join('\n\n')}\n`;
}

function overview(document: OpenApi): string {
  const calls = Object.keys(groups).flatMap((group) => callsOf(document, group));
  return markdownTable(
    ['call', 'what it does', 'for'],
    calls.map(({ method, path, operation: { summary, description } }) => [
      `[\`${method} ${path}\`](#${anchorOf(`${method} ${path}`)})`,
      `${summary}.`,
      description.replace(/^For: /, ''),
    ]),
  );
}

/** The address of a heading on the pages of a code host. */
const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');

function describeCall(document: OpenApi, call: Told): string[] {
  const { method, path, operation } = call;
  const { summary, description, parameters = [], requestBody } = operation;
  const sent = requestBody?.content['application/json'] ?? requestBody?.content['multipart/form-data'];
  const { status, media, headers } = doneOf(operation);
  const shown = headers.filter((name) => name !== 'X-Request-Id').map((name) => `\`${name}\``);
  return [
    `### \`${method} ${path}\``,
    `${summary}. ${description}`,
    ...(parameters.length
      ? [
          markdownTable(
            ['parameter', 'in', 'what it is'],
            parameters.map(({ name, in: place, schema, required, description: about }) => [
              `\`${name}\``,
              place,
              tell({ type: typeOf(schema), required: required ?? false, about: about ?? '' }),
            ]),
          ),
        ]
      : []),
    ...(sent ? describeBody('Sent', resolve(document, sent.schema)) : []),
    ...(media
      ? describeBody(
          `Answered, with ${status}${shown.length ? ` and ${shown.join(', ')}` : ''}`,
          media.schema,
        )
      : []),
    `Refused: ${errorsOf(operation)
      .map(({ status, types }) =>
        [status, ...types.map((type) => `\`${type.replace('urn:problem:', '')}\``)].join(' '),
      )
      .join(' · ')}.`,
    fenced(curlOf(call), 'sh'),
    ...(media?.example === undefined ? [] : [fenced(layOut(media.example), 'json')]),
  ];
}

function describeBody(title: string, schema: Schema): string[] {
  const named = nameOf(schema);
  if (named)
    return [`${title}: ${named.list ? 'a list of' : 'one'} [${named.name}](#${named.name.toLowerCase()}).`];
  const choices = fieldsOf(schema);
  if (choices.length === 0) return [`${title}: ${typeOf(schema)}.`];
  const tables = choices.map(fieldTable);
  return [`${title}:`, ...tables.flatMap((one, at) => (at === 0 ? [one] : ['or', one]))];
}

function describeSchemas(document: OpenApi): string[] {
  return [
    '## What is answered',
    ...answeredSchemas(document).flatMap(([name, schema]) => [
      `### ${name}`,
      ...fieldsOf(schema).map(fieldTable),
    ]),
  ];
}

const fieldTable = (fields: Field[]) =>
  markdownTable(
    ['field', 'what it is'],
    fields.map((field) => [`\`${field.name}\``, tell(field)]),
  );

const tell = ({ type, required, about }: Pick<Field, 'type' | 'required' | 'about'>) =>
  [`${type}${required ? '' : '; optional'}.`, about].filter(Boolean).join(' ');

const fenced = (text: string, language = 'text') => `\`\`\`${language}\n${text}\n\`\`\``;

/** A list of one short value stays in its line. */
const layOut = (example: unknown) => JSON.stringify(example, null, 2).replace(/\[\s+("[^"]*")\s+\]/g, '[$1]');
