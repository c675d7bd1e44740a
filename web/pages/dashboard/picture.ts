import { z } from 'zod';

/** A chosen picture, or the address of one that is already stored. */
export const picture = z.custom<File | string>(
  (value) => (typeof value === 'string' ? value !== '' : value instanceof File),
  'Image is Required',
);

/** The address of a picture, which must be stored before its form is sent. */
export function addressOf(img: File | string): string {
  if (typeof img === 'string') return img;
  throw new Error('The picture has not been uploaded.');
}
