import { z } from 'zod';

/** A picture that was chosen, or the address of one that is stored already. */
export const picture = z.custom<File | string>(
  (value) => (typeof value === 'string' ? value !== '' : value instanceof File),
  'Image is Required',
);

/** The address of a picture that has been stored by the time that its form is sent. */
export function addressOf(img: File | string): string {
  if (typeof img === 'string') return img;
  throw new Error('The picture has not been uploaded.');
}
