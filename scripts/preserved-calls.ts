/**
 * Rolldown assumes that these calls have no side effects and drops them if their value is unused, although each throws on
 * malformed input. No `treeshake` option changes that, but calls through `globalThis` are preserved.
 */
export const preservedCalls = Object.fromEntries(
  ['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'String.fromCodePoint'].map(
    (name) => [name, `globalThis.${name}`],
  ),
);
