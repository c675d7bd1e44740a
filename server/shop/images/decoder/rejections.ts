import { ShopError } from '../../../../contract/errors.ts';

export function notAnImage(cause?: unknown): ShopError {
  const detail = 'Please choose an image: a JPEG, PNG, WebP, AVIF or GIF file.';
  return new ShopError('wrong_type', detail, { cause });
}

export function damaged(cause?: unknown): ShopError {
  const detail = 'This image cannot be read: it may be damaged or incomplete. Please choose another.';
  return new ShopError('wrong_type', detail, { cause });
}

export function tooComplex(): ShopError {
  const detail = 'This image file is too complex. Please save it again as a plain JPEG or PNG.';
  return new ShopError('wrong_type', detail);
}

export function retryLater(detail: string, retryAfter: number, cause?: unknown): ShopError {
  return new ShopError('unavailable', detail, { retryAfter, cause });
}
