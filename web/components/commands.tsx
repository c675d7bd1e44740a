/** A text with commands between backticks. */
export const Commands = ({ text }: { text: string }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other key
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
