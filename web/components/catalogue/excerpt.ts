/** Shortens a text to at most so many characters, with an ellipsis behind the last word or part of one. */
export function excerpt(text: string, length: number): string {
  const characters = [...text];
  if (characters.length <= length) return text;
  return `${characters
    .slice(0, length)
    .join('')
    .replace(/[\s.]+$/, '')}…`;
}
