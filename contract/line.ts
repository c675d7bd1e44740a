/** Characters that look like a space but are none: Braille and Hangul blanks, and an invisible note. */
const blank = /[\u2800\u3164\uffa0\u{1d159}]/gu;

const invisible = String.raw`[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`;

/** Letters of scripts in which a joiner changes the shape or the meaning of a word. */
const joining = `[${[
  'Arabic Syriac Mongolian Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam',
  'Sinhala Khmer Myanmar Tibetan Balinese Javanese',
]
  .join(' ')
  .split(' ')
  .map((script) => String.raw`\p{Script_Extensions=${script}}`)
  .join('')}]`;

/** Invisible characters that carry meaning where they are: they form emoji, variants of a character, or words. */
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

const kept = new RegExp(`(${meaningful})|${invisible}`, 'gu');
const all = new RegExp(invisible, 'gu');

/**
 * The text of a single line as a person sees it: trimmed, without characters that nobody sees, such as soft hyphens, zero-width
 * characters and controls of the writing direction. Keeps those that emoji and words of some scripts consist of.
 */
export const cleanLine = (text: string): string => text.replace(blank, ' ').replace(kept, '$1').trim();

/** Like `cleanLine`, for comparisons: without any invisible character. */
export const removeInvisible = (text: string): string => text.replace(blank, ' ').replace(all, '').trim();

/** Texts of a line that look alike, except for capitals and the width of spaces, are folded to the same text. */
export const foldLine = (text: string): string =>
  removeInvisible(text).normalize('NFC').replace(/\s+/g, ' ').toLowerCase();
