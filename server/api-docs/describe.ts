import { groups, guide } from '../../contract/guide.ts';
import { type Field, fieldsOf, nameOf, typeOf } from './fields.ts';
import { answeredSchemas, callsOf, curlOf, doneOf, errorsOf, resolve, type Told } from './reading.ts';
import type { OpenApi, Schema } from './types.ts';

/**
 * What is told of the calls, which `page.ts` prints as HTML and `scripts/api-markdown.ts` as Markdown. A text is
 * paragraphs and lists as Markdown has them, with code in backquotes and links.
 */
export type Block = string | Code | Table;
type Code = { code: string; language: 'text' | 'sh' | 'json' };
export type Table = { columns: string[]; rows: string[][] };

/** A call or the schema of an answer. */
export type Entry = { title: string; blocks: Block[]; call?: Told };
export type Section = { title: string; blocks: Block[]; entries: Entry[] };

export function describe(document: OpenApi): Section[] {
  return [
    ...guide.map(({ title, text, example }) => {
      const shown: Block[] = example ? [{ code: example, language: 'text' }] : [];
      return { title, blocks: [text.trim(), ...shown], entries: [] };
    }),
    ...Object.entries(groups).map(([title, about]) => ({
      title,
      blocks: [about],
      entries: callsOf(document, title).map((call) => describeCall(document, call)),
    })),
    {
      title: 'What is answered',
      blocks: [],
      entries: answeredSchemas(document).map(([title, schema]) => ({ title, blocks: fieldTables(schema) })),
    },
  ];
}

/** Where a title stands, as the pages of a code host have it. */
export const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');

function describeCall(document: OpenApi, call: Told): Entry {
  const { method, path, operation } = call;
  const { description, parameters = [], requestBody } = operation;
  const sent = requestBody?.content['application/json'] ?? requestBody?.content['multipart/form-data'];
  const { status, media, headers } = doneOf(operation);
  const shown = headers.filter((name) => name !== 'X-Request-Id').map((name) => `\`${name}\``);
  const blocks: Block[] = [description];
  if (parameters.length > 0)
    blocks.push({
      columns: ['parameter', 'in', 'what it is'],
      rows: parameters.map(({ name, in: place, schema, required = false, description: about = '' }) => [
        `\`${name}\``,
        place,
        tell({ type: typeOf(schema), required, about }),
      ]),
    });
  if (sent) blocks.push(...describeBody('Sent', resolve(document, sent.schema)));
  if (media) blocks.push(...describeBody(`Answered, with ${[status, ...shown].join(', ')}`, media.schema));
  blocks.push(
    {
      columns: ['refused', 'type', 'why'],
      rows: errorsOf(operation).map(({ status, types, about }) => [
        status,
        types.map((type) => `\`${type.replace('urn:problem:', '')}\``).join(' '),
        about,
      ]),
    },
    { code: curlOf(call), language: 'sh' },
  );
  if (media?.example !== undefined) blocks.push({ code: layOut(media.example), language: 'json' });
  return { title: `${method} ${path}`, blocks, call };
}

function describeBody(title: string, schema: Schema): Block[] {
  const named = nameOf(schema);
  if (named)
    return [`${title}: ${named.list ? 'a list of' : 'one'} [${named.name}](#${anchorOf(named.name)}).`];
  const tables = fieldTables(schema);
  if (tables.length === 0) return [`${title}: ${typeOf(schema)}.`];
  return tables.flatMap((table, at) => [at === 0 ? `${title}:` : 'or', table]);
}

const fieldTables = (schema: Schema): Table[] =>
  fieldsOf(schema).map((fields) => ({
    columns: ['field', 'what it is'],
    rows: fields.map((field) => [`\`${field.name}\``, tell(field)]),
  }));

const tell = ({ type, required, about }: Omit<Field, 'name'>): string =>
  `${type}${required ? '' : '; optional'}. ${about}`.trim();

/** A list of one short value stays in its line. */
const layOut = (example: unknown): string =>
  JSON.stringify(example, null, 2).replace(/\[\s+("[^"]*")\s+\]/g, '[$1]');
