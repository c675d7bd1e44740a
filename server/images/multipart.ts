/** No part of ours has more headers than this, and no form of ours more parts. */
const maxHeaders = 8192;
const maxParts = 20;

/**
 * The file of the field `field` in a multipart/form-data body (RFC 7578), as a view of it. Undefined where
 * there is none, or where the body is not what its content type says. `Request.formData()` is not used: a
 * 10 MB body of many small parts occupies it, and with it everybody, for over a second.
 */
export function findFile(body: Buffer, contentType: string, field: string): Uint8Array | undefined {
  const boundary = readBoundary(contentType);
  if (!boundary) return undefined;
  const opening = `--${boundary}`;
  let at = body.indexOf(opening);
  for (let part = 0; part < maxParts && at >= 0; part++) {
    const headersAt = at + opening.length;
    const headersEnd = body.subarray(headersAt, headersAt + maxHeaders).indexOf('\r\n\r\n');
    if (headersEnd < 0) return undefined;
    const contentAt = headersAt + headersEnd + 4;
    const contentEnd = body.indexOf(`\r\n${opening}`, contentAt);
    if (contentEnd < 0) return undefined;
    const headers = body.toString('utf8', headersAt, contentAt);
    if (isFileOf(headers, field)) {
      // If no file was chosen, browsers send an empty one without a name.
      if (contentEnd === contentAt && /;\s*filename=""/i.test(headers)) return undefined;
      return body.subarray(contentAt, contentEnd);
    }
    at = contentEnd + 2;
  }
  return undefined;
}

/** The boundary that a multipart/form-data content type names. */
export function readBoundary(contentType: string): string | undefined {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return undefined;
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  return quoted ?? bare;
}

function isFileOf(headers: string, field: string): boolean {
  const disposition = /^content-disposition:\s*form-data(;.*)$/im.exec(headers)?.[1] ?? '';
  const [, quoted, bare] = /;\s*name=(?:"([^"]*)"|([^\s;"]*))/i.exec(disposition) ?? [];
  return (quoted ?? bare) === field && /;\s*filename\*?=/i.test(disposition);
}
