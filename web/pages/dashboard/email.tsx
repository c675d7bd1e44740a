/** As an inline block, it moves to the next line as a whole. The underline of a link does not reach into one by itself. */
const part = 'inline-block max-w-full wrap-anywhere [text-decoration:inherit]';

/**
 * An email address that breaks before its `@` and, only if one of its parts is longer than the line, within it. A link needs it as its
 * `aria-label`, too: screen readers pause between inline blocks.
 */
export function Email({ children }: { children: string }) {
  const at = children.lastIndexOf('@');
  if (at < 1) return children;
  return (
    // One item of a link that is a flex container.
    <span className="[text-decoration:inherit]">
      <span className={part}>{children.slice(0, at)}</span>
      <span className={part}>{children.slice(at)}</span>
    </span>
  );
}
