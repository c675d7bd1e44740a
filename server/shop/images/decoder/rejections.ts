import { ShopError } from '../../../../contract/errors.ts';

const reject = (detail: string, cause?: unknown) => new ShopError('wrong_type', detail, { cause });

export const notAnImage = (cause?: unknown): ShopError =>
  reject('Please choose an image: a JPEG, PNG, WebP, AVIF or GIF file.', cause);

export const damaged = (cause?: unknown): ShopError =>
  reject('This image cannot be read: it may be damaged or incomplete. Please choose another.', cause);

export const retryLater = (detail: string, retryAfter: number, cause?: unknown): ShopError =>
  new ShopError('unavailable', detail, { retryAfter, cause });
