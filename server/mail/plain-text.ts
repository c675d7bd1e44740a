import type { Letter, LetterBlock } from '../../contract/mail.ts';

/** The maximum length of a line of several words, including what `flowLine` adds to it (RFC 3676: at most 78). */
const maxLineLength = 76;

/** Wraps long lines as `format=flowed` (RFC 3676), which mail programs wrap again to fit the screen. */
export const flowText = (text: string): string => text.split('\n').map(flowLine).join('\n');

function flowLine(line: string): string {
  if (line === '-- ') return line;
  const isQuote = line.startsWith('>');
  const words = (isQuote ? line.slice(1) : line).trimEnd().split(' ');
  const lines: string[] = [];
  let current = words.shift() ?? '';
  for (const word of words) {
    if (current.length + 1 + word.length > maxLineLength - 2 && current.trim()) {
      lines.push(current);
      current = word;
    } else current += ` ${word}`;
  }
  lines.push(current);
  // Lines of a quote do not end with the space that lets programs join them, because not all programs join quotes well.
  if (isQuote) return lines.map((part, index) => `>${index > 0 ? ' ' : ''}${part}`).join('\n');
  // Lines that start like this need a leading space, which programs remove (RFC 3676, 4.4).
  return lines.map((part) => (/^( |>|From )/.test(part) ? ` ${part}` : part)).join(' \n');
}

/** Renders a message as plain text. */
export function writeText({ heading, blocks, contact, reason, shop }: Letter): string {
  const signature = [shop.name, shop.address, shop.taxId, shop.url].filter(Boolean).join('\n');
  // Mail programs recognize "-- " as the start of a signature (RFC 3676, 4.3).
  const parts = [heading, ...blocks.map(writeBlock), ...(contact ? [writeContact(contact)] : []), reason];
  return `${parts.join('\n\n')}\n\n-- \n${signature}\n`;
}

function writeBlock(block: LetterBlock): string {
  switch (block.block) {
    case 'paragraph':
      return block.text;
    case 'quote':
      // Each line is marked: the text cannot imitate other parts of the message.
      return `> ${block.text.replaceAll('\n', '\n> ')}`;
    case 'button':
    case 'link':
      return `${block.label}:\n${block.url}`;
    case 'lines':
      return [
        ...block.lines.map(
          ({ text, note, amount }) => `* ${text}${amount ? `: ${amount}` : ''}${note ? `\n  ${note}` : ''}`,
        ),
        ...block.totals.map(({ label, amount }) => `${label}: ${amount}`),
      ].join('\n');
    case 'facts':
      return block.facts
        .map(({ label, value, url }) => `${label}: ${indent(value)}${url ? `\n  ${url}` : ''}`)
        .join('\n');
  }
}

const writeContact = ({ text, link }: NonNullable<Letter['contact']>) =>
  link ? `${text} ${link.label}:\n${link.url}` : text;

/** A value of several lines starts on the line below its label. */
const indent = (value: string) => (value.includes('\n') ? `\n${value}`.replaceAll('\n', '\n  ') : value);
