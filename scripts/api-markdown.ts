import { anchorOf, type Block, describe, type Entry, type Section } from '../server/api-docs/describe.ts';
import { makeOpenApi } from '../server/openapi.ts';
import { markdownTable } from './markdown-table.ts';

/** docs/api.md: the calls as the contract has them, laid out as Biome does. */
export function describeCalls(): string {
  const sections = describe(makeOpenApi(''));
  const first = sections.findIndex(({ entries }) => entries.length > 0);
  return `${[
    '# The calls of the shop',
    '<!-- Made from `contract/` by `npm run api-docs`: whoever changes one of these words changes it there. -->',
    'This page is for whoever writes a client. A running shop gives the same as `/api/openapi.json` (OpenAPI 3.1), and shows it to its admins, to read and to try, at `/api/docs`.',
    ...sections.slice(0, first).flatMap(printSection),
    '## All calls',
    print(listCalls(sections.flatMap(({ entries }) => entries))),
    ...sections.slice(first).flatMap(printSection),
  ].join('\n\n')}\n`;
}

const listCalls = (entries: Entry[]): Block => ({
  columns: ['call', 'what it does', 'for'],
  rows: entries.flatMap(({ title, call }) =>
    call
      ? [
          [
            `[\`${title}\`](#${anchorOf(title)})`,
            `${call.operation.summary}.`,
            call.operation.description.replace(/^For: /, ''),
          ],
        ]
      : [],
  ),
});

const printSection = ({ title, blocks, entries }: Section): string[] => [
  `## ${title}`,
  ...blocks.map(print),
  ...entries.flatMap(({ title, blocks, call }) => [
    call ? `### \`${title}\`` : `### ${title}`,
    ...(call ? [`${call.operation.summary}.`] : []),
    ...blocks.map(print),
  ]),
];

function print(block: Block): string {
  if (typeof block === 'string') return block;
  if ('code' in block) return `\`\`\`${block.language}\n${block.code}\n\`\`\``;
  return markdownTable(block.columns, block.rows);
}
