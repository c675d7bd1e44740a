/** Collects parts of a file in one buffer of `maxBytes`. A list of a million parts would need more memory than the file. */
export function startCopy(maxBytes: number) {
  const buffer = Buffer.allocUnsafe(maxBytes);
  let end = 0;
  return {
    add(part: Uint8Array): void {
      buffer.set(part, end);
      end += part.length;
    },
    bytes: () => buffer.subarray(0, end),
  };
}
