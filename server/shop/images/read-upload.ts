import { ShopError } from '../../../contract/errors.ts';
import { findFile, readBoundary } from '../../http/multipart.ts';
import { readBody } from '../../http/request.ts';

/** 10 MB in the larger reading of the word: nobody whose computer says "10 MB" is refused. */
const maxFileBytes = 10 * 1024 * 1024;
/** The file, and room for the boundaries and small fields about it. */
export const maxUploadBodyBytes = maxFileBytes + 64 * 1024;
export const fileTooLarge = 'This picture is too large: a file may have 10 MB.';

/**
 * The bytes of the file in the field `image` of a multipart request; `count` is called with the size of each piece of
 * the body. Throws `wrong_type` for another content type, `too_large` for a file over 10 MB, `unreadable` if there is
 * no such file or it is empty.
 */
export async function readUpload(request: Request, count: (bytes: number) => void): Promise<Uint8Array> {
  const contentType = request.headers.get('content-type') ?? '';
  if (!readBoundary(contentType)) {
    throw new ShopError('wrong_type', 'Send the picture as multipart/form-data, in the field image.');
  }
  const file = findFile(
    await readBody(request, maxUploadBodyBytes, { tooLarge: fileTooLarge, count }),
    contentType,
    'image',
  );
  if (!file) throw new ShopError('unreadable', 'No picture was sent: choose a file first.');
  checkFileSize(file);
  return file;
}

/** Throws `too_large` for a file over 10 MB, `unreadable` for an empty one. */
export function checkFileSize(file: Uint8Array): void {
  if (file.length > maxFileBytes) throw new ShopError('too_large', fileTooLarge);
  if (file.length === 0)
    throw new ShopError('unreadable', 'This file is empty: it has 0 bytes. Choose another.');
}

/** Reads the rest of a request that is refused, so that its client comes to read the answer. */
export async function drainBody(request: Request): Promise<void> {
  // A client that goes away meanwhile has no use for the answer.
  if (!request.bodyUsed) await readBody(request, 0).catch(() => undefined);
}
