import { ShopError } from '../../../contract/errors.ts';

export function notAnImage(cause?: unknown): ShopError {
  return new ShopError('wrong_type', 'Please choose an image: a JPEG, PNG, WebP, AVIF or GIF file.', {
    cause,
  });
}

export function damaged(cause?: unknown): ShopError {
  return new ShopError(
    'wrong_type',
    'This image cannot be read: it may be damaged or incomplete. Please choose another.',
    { cause },
  );
}

export function tooComplex(): ShopError {
  return new ShopError(
    'wrong_type',
    'This image file is too complex. Please save it again as a plain JPEG or PNG.',
  );
}
