/** An inline block moves to the next line as a whole. It does not inherit a link's underline by itself. */
const part = 'inline-block max-w-full wrap-anywhere [text-decoration:inherit]';

/**
 * An email address that breaks before its `@`. It breaks elsewhere only if one of its two parts is longer than the line. Screen
 * readers pause between inline blocks, so a link around it needs the address as its `aria-label`.
 */
export function Email({ children }: { children: string }) {
  const at = children.lastIndexOf('@');
  if (at < 1) return children;
  return (
    // The outer element makes the address a single item if the link is a flex container.
    <span className="[text-decoration:inherit]">
      <span className={part}>{children.slice(0, at)}</span>
      <span className={part}>{children.slice(at)}</span>
    </span>
  );
}
