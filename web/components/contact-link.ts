/** A link to a mail or phone program. Escaping keeps a value from adding recipients, a subject or parameters. */
export function createContactLink(scheme: 'mailto' | 'tel', value: string): string {
  const escaped = encodeURIComponent(value.replace(/\s/g, ''));
  // Programs expect `@` and `+` unescaped (RFC 6068, RFC 3966), and neither is a separator.
  return `${scheme}:${escaped.replaceAll('%40', '@').replaceAll('%2B', '+')}`;
}
