import type { RowMessage } from '../../../../../contract/catalogue/product-import.ts';

type MessageGroup = { rows: number[]; field: string; message: string };

/** Messages with the same text about several rows, as one. */
export function groupMessages(messages: RowMessage[]): MessageGroup[] {
  const groups = new Map<string, MessageGroup>();
  for (const { row, field, message } of messages) {
    const key = `${field} ${message}`;
    const group = groups.get(key) ?? { rows: [], field, message };
    group.rows.push(row);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Ascending rows, such as `2–11, 14`. */
export function formatRows(rows: number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const row of rows) {
    const range = ranges.at(-1);
    if (range?.[1] === row - 1) range[1] = row;
    else ranges.push([row, row]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}
