import { Fragment } from 'react';
import { findMatches } from './matches.ts';

/** A text with the words highlighted. */
export function Marked({ text, words }: { text: string; words: readonly string[] }) {
  // The parts of a text never change their order.
  return findMatches(text, words).map(({ text: part, isMatch }, index) =>
    isMatch ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <mark key={index} className="bg-brass/25 text-ink">
        {part}
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <Fragment key={index}>{part}</Fragment>
    ),
  );
}
