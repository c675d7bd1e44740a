const functionWords = new Set(
  `a about all am an and any are as at be been between but by can could do does find for from get give go goes had has
  have help how i if in into is it its just like made make me my need no not of off on or our out so some than that the
  their them then there these they this those to too up us use used using want was we what when where which while who
  why will with without would you your`.split(/\s+/),
);
const vagueNouns = new Set(['kind', 'something', 'sort', 'stuff', 'thing', 'things', 'tool', 'tools']);

export const isFunctionWord = (word: string): boolean => functionWords.has(word);

/** Whether a word says nothing about a tool. */
export const isStopWord = (word: string): boolean => isFunctionWord(word) || vagueNouns.has(word);

/** The common prefix of the forms of an English word: `clean` for cleaner, cleaning and cleaned, `grip` for gripping. */
export function toStem(word: string): string {
  const singular = word.replace(/(?<=[a-z]{3})(?:(?<=[sxz]|[cs]h)e)?s$/, '');
  const stem = singular.replace(/(?:(?<=[a-z]{3})(?<=[aeiouy][a-z]*)ing|(?<=[a-z]{4})(?:er|ed|e))$/, '');
  return stem === singular ? stem : stem.replace(/([^aeioulsz])\1$/, '$1');
}
