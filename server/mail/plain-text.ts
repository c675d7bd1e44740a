import type { Letter, LetterBlock } from '../../contract/mail.ts';

/** Renders a message as plain text. */
export function writeText({ heading, blocks, reason, shop }: Letter): string {
  const signature = [shop.name, shop.address, shop.taxId, shop.url].filter(Boolean).join('\n');
  // Mail programs recognize "-- " as the start of a signature (RFC 3676, 4.3).
  return `${[heading, ...blocks.map(writeBlock), reason].join('\n\n')}\n\n-- \n${signature}\n`;
}

function writeBlock(block: LetterBlock): string {
  switch (block.block) {
    case 'paragraph':
      return block.text;
    case 'quote':
      // Each line is marked: the text cannot imitate other parts of the message.
      return `> ${block.text.replaceAll('\n', '\n> ')}`;
    case 'button':
      return `${block.label}:\n${block.url}`;
    case 'lines':
      return [
        ...block.lines.map(({ text, note, amount }) => `* ${text}: ${amount}${note ? `\n  ${note}` : ''}`),
        ...block.totals.map(({ label, amount }) => `${label}: ${amount}`),
      ].join('\n');
    case 'facts':
      return block.facts
        .map(({ label, value, url }) => `${label}: ${indent(value)}${url ? `\n  ${url}` : ''}`)
        .join('\n');
  }
}

/** A value of several lines starts on the line below its label. */
const indent = (value: string) => (value.includes('\n') ? `\n${value}`.replaceAll('\n', '\n  ') : value);
