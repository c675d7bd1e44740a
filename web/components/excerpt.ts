/** Shortens a text to so many characters, with an ellipsis behind. */
export function excerpt(text: string, length: number): string {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : text;
}
