/** Truncates a text to at most `length` characters and an ellipsis. */
export function truncate(text: string, length: number): string {
  const characters = [...text];
  if (characters.length <= length) return text;
  return `${characters
    .slice(0, length)
    .join('')
    .replace(/[\s.]+$/, '')}…`;
}
