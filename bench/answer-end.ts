const headEnd = Buffer.from('\r\n\r\n');

/** Where the first answer in `bytes` ends; undefined while its head is not whole. */
export function findResponseEnd(bytes: Buffer): number | undefined {
  const head = bytes.indexOf(headEnd);
  if (head < 0) return undefined;
  const text = bytes.toString('latin1', 0, head);
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  if (length !== undefined) return head + 4 + Number(length);
  if (/\r\ntransfer-encoding: *chunked/i.test(text)) {
    const last = bytes.indexOf('\r\n0\r\n\r\n', head);
    return last < 0 ? undefined : last + 7;
  }
  return head + 4;
}
