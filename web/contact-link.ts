/** The address that opens a mail or phone program. Escaped, a value adds no recipient, subject or parameter. */
export function contactLink(scheme: 'mailto' | 'tel', value: string): string {
  const escaped = encodeURIComponent(value.replace(/\s/g, ''));
  // Programs expect these two as they are (RFC 6068, RFC 3966), and they separate nothing.
  return `${scheme}:${escaped.replaceAll('%40', '@').replaceAll('%2B', '+')}`;
}
