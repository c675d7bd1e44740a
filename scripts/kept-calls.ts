/**
 * Rolldown drops a call of these whose value is unused, as free of side effects, although each of them throws on
 * malformed input, and no `treeshake` option changes that. It keeps calls through `globalThis`.
 */
export const keptCalls = Object.fromEntries(
  ['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'String.fromCodePoint'].map(
    (name) => [name, `globalThis.${name}`],
  ),
);
