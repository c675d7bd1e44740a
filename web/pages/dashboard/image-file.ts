import { z } from 'zod';

/** A chosen file, or the URL of an uploaded image. */
export const imageFile = z.custom<File | string>(
  (value) => (typeof value === 'string' ? value !== '' : value instanceof File),
  'Image is Required',
);

/** The URL of an image, which must be uploaded before its form is sent. */
export function getImageUrl(img: File | string): string {
  if (typeof img === 'string') return img;
  throw new Error('The image has not been uploaded.');
}
