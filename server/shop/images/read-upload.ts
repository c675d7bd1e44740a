import { ShopError } from '../../../contract/errors.ts';
import { findFile, readBoundary } from '../../http/multipart.ts';
import { readBody } from '../../http/request.ts';

/** 10 MiB, so that a file shown as "10 MB" is accepted whichever megabyte the computer uses. */
const maxFileBytes = 10 * 1024 * 1024;
/** The file, its boundaries and small fields. */
export const maxUploadBodyBytes = maxFileBytes + 64 * 1024;
export const fileTooLarge = 'This image is too large: the limit is 10 MB.';

/**
 * Reads the file in the field `image` of a multipart request. Calls `count` with the size of each chunk of the body.
 * Throws `wrong_type` for any other content type, `too_large` for a file over 10 MB, and `unreadable` if the file is
 * missing or empty.
 */
export async function readUpload(request: Request, count: (bytes: number) => void): Promise<Uint8Array> {
  const contentType = request.headers.get('content-type') ?? '';
  if (!readBoundary(contentType)) {
    throw new ShopError('wrong_type', 'Send the image as multipart/form-data, in the field image.');
  }
  const file = findFile(
    await readBody(request, maxUploadBodyBytes, { tooLarge: fileTooLarge, onChunk: count }),
    contentType,
    'image',
  );
  if (!file) throw new ShopError('unreadable', 'No image was sent: choose a file first.');
  checkFileSize(file);
  return file;
}

/** Throws `too_large` for a file over 10 MB, and `unreadable` for an empty one. */
export function checkFileSize(file: Uint8Array): void {
  if (file.length > maxFileBytes) throw new ShopError('too_large', fileTooLarge);
  if (file.length === 0) throw new ShopError('unreadable', 'This file is empty (0 bytes). Choose another.');
}

/** Reads the rest of a rejected request's body: some clients read the response only after sending everything. */
export async function drainBody(request: Request): Promise<void> {
  // A client that has disconnected reads no response.
  if (!request.bodyUsed) await readBody(request, 0).catch(() => undefined);
}
