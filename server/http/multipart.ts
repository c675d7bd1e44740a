/** Far more than our own forms need. */
const maxHeaderBytes = 8192;
export const maxParts = 20;

/** `fileName` is undefined for a text field, and empty if no file was chosen. */
export type Part = { name: string; fileName: string | undefined; content: Uint8Array };

/**
 * The file in the field `field` of a multipart/form-data body. Undefined if there is none; browsers send an empty file
 * without a name if none was chosen.
 */
export function findFile(body: Buffer, contentType: string, field: string): Uint8Array | undefined {
  for (const { name, fileName, content } of listParts(body, contentType))
    if (name === field && fileName !== undefined && (fileName || content.length > 0)) return content;
  return undefined;
}

/**
 * The parts of a multipart/form-data body (RFC 7578), as views of it, up to the first malformed part.
 * `Request.formData()` is not used: a 10 MB body of many small parts would block the event loop for over a second.
 */
export function* listParts(body: Buffer, contentType: string): Generator<Part> {
  const boundary = readBoundary(contentType);
  if (!boundary) return;
  const opening = `--${boundary}`;
  let at = body.indexOf(opening);
  for (let part = 0; part < maxParts && at >= 0; part++) {
    const headersAt = at + opening.length;
    const headersEnd = body.subarray(headersAt, headersAt + maxHeaderBytes).indexOf('\r\n\r\n');
    if (headersEnd < 0) return;
    const contentAt = headersAt + headersEnd + 4;
    const contentEnd = body.indexOf(`\r\n${opening}`, contentAt);
    if (contentEnd < 0) return;
    const headers = body.toString('utf8', headersAt, contentAt);
    yield { ...readDisposition(headers), content: body.subarray(contentAt, contentEnd) };
    at = contentEnd + 2;
  }
}

/** The boundary in a multipart/form-data content type. */
export function readBoundary(contentType: string): string | undefined {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return undefined;
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  return quoted ?? bare;
}

function readDisposition(headers: string): Pick<Part, 'name' | 'fileName'> {
  const disposition = /^content-disposition:\s*form-data(;.*)$/im.exec(headers)?.[1] ?? '';
  const [, quoted, bare] = /;\s*name=(?:"([^"]*)"|([^\s;"]*))/i.exec(disposition) ?? [];
  const [, file] = /;\s*filename\*?=("?[^";]*)/i.exec(disposition) ?? [];
  return { name: quoted ?? bare ?? '', fileName: file?.replace('"', '') };
}
