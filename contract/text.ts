/** Characters that look like a space: Braille and Hangul blanks, and an invisible musical note. */
const blank = /[\u2800\u3164\uffa0\u{1d159}]/gu;

/** `Cs` matches an unpaired surrogate, which has no encoding in UTF-8. */
const invisible = String.raw`[\p{Default_Ignorable_Code_Point}\p{Cs}\ufff9-\ufffb]`;

/** Letters of scripts in which a joiner changes the shape or the meaning of a word. */
const joining = `[${[
  'Arabic Syriac Mongolian Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam',
  'Sinhala Khmer Myanmar Tibetan Balinese Javanese',
]
  .join(' ')
  .split(' ')
  .map((script) => String.raw`\p{Script_Extensions=${script}}`)
  .join('')}]`;

/** Invisible characters that have a meaning in their context: they form emoji, variants of a character, or words. */
const meaningful = [
  // The flags of England, Scotland and Wales.
  String.raw`\u{1f3f4}[\u{e0030}-\u{e007e}]{1,8}\u{e007f}`,
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  String.raw`(?<=\p{Script=Han})[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=\p{Script=Mongolian})[\u180b-\u180f]`,
  String.raw`(?<=${joining})[\u200c\u200d](?=${joining})`,
].join('|');

const meaningfulOrInvisible = new RegExp(`(${meaningful})|${invisible}`, 'gu');
const anyInvisible = new RegExp(invisible, 'gu');

/**
 * Cleans text that a person enters: trims it and removes invisible characters, such as soft hyphens, zero-width characters and
 * direction controls. Preserves those that are part of emoji and of words in some scripts.
 */
export const cleanText = (text: string): string =>
  text.replace(blank, ' ').replace(meaningfulOrInvisible, '$1').trim();

/** Like `cleanText`, but for comparisons: removes every invisible character. */
export const removeInvisible = (text: string): string =>
  text.replace(blank, ' ').replace(anyInvisible, '').trim();

/** Folds a line for comparisons: ignores case, invisible characters and the amount of white space. */
export const foldLine = (text: string): string =>
  removeInvisible(text).normalize('NFC').replace(/\s+/g, ' ').toLowerCase();
