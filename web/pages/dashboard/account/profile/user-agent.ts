const browsers: Record<string, RegExp> = {
  Edge: /Edg(e|A|iOS)?\//,
  Opera: /OPR\/|Opera/,
  'Samsung Internet': /SamsungBrowser/,
  Firefox: /Firefox|FxiOS/,
  Chrome: /Chrom(e|ium)\/|CriOS/,
  Safari: /Safari/,
};
const systems: Record<string, RegExp> = {
  Android: /Android/,
  iPhone: /iPhone/,
  iPad: /iPad/,
  Windows: /Windows/,
  ChromeOS: /CrOS/,
  macOS: /Macintosh/,
  Linux: /Linux/,
};

/**
 * Describes a `User-Agent` in a few words, such as "Firefox on Linux". Most browsers also claim to be others, so the most
 * specific names are tried first. The result is only a hint.
 */
export function describeBrowser(userAgent: string): string {
  const find = (names: Record<string, RegExp>) =>
    Object.entries(names).find(([, pattern]) => pattern.test(userAgent))?.[0];
  const system = find(systems);
  return `${find(browsers) ?? 'Unknown browser'}${system ? ` on ${system}` : ''}`;
}
