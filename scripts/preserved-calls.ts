/**
 * Rolldown treats calls to these as free of side effects and drops them if their value is unused, although each throws
 * on malformed input. No `treeshake` option changes that, but it keeps calls through `globalThis`.
 */
export const preservedCalls = Object.fromEntries(
  ['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'String.fromCodePoint'].map(
    (name) => [name, `globalThis.${name}`],
  ),
);
