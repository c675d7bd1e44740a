const headEnd = Buffer.from('\r\n\r\n');

/** The end of the first response in `bytes`, which may lie beyond them; undefined while its head is incomplete. */
export function findResponseEnd(bytes: Buffer): number | undefined {
  const head = bytes.indexOf(headEnd);
  if (head < 0) return undefined;
  const text = bytes.toString('latin1', 0, head);
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  if (length !== undefined) return head + 4 + Number(length);
  if (/\r\ntransfer-encoding: *chunked/i.test(text)) {
    const lastChunk = bytes.indexOf('\r\n0\r\n\r\n', head);
    return lastChunk < 0 ? undefined : lastChunk + 7;
  }
  return head + 4;
}
