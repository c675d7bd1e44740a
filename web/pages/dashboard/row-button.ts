/** Makes a `Button` in a row of a table lower, and the text of a primary one smaller, so that more rows fit; on a card, it keeps its size. */
export const rowButton = '@min-[43rem]:min-h-8 @min-[43rem]:px-3 @min-[43rem]:py-0.5 @min-[43rem]:text-sm!';
