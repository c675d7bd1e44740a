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
 * A browser's `User-Agent` in a few words: "Firefox on Linux". Nearly all of them claim to be some of the others as
 * well, so who claims the most is looked for first; what it says is a hint to its owner, never a proof.
 */
export function nameBrowser(userAgent: string): string {
  const find = (names: Record<string, RegExp>) =>
    Object.entries(names).find(([, pattern]) => pattern.test(userAgent))?.[0];
  const system = find(systems);
  return `${find(browsers) ?? 'Unknown browser'}${system ? ` on ${system}` : ''}`;
}
