import sharp from 'sharp';

type ImageFile = { name: string; mimeType: string; buffer: Buffer };

/** A valid image for a file field, in one colour. */
export async function createPhoto(name = 'bench.jpg', background = '#8a5a12'): Promise<ImageFile> {
  const plain = sharp({ create: { width: 640, height: 480, channels: 3, background } });
  return { name, mimeType: 'image/jpeg', buffer: await plain.jpeg().toBuffer() };
}

/** A text file with the name and type of an image. */
export const invalidImage: ImageFile = {
  name: 'letter.png',
  mimeType: 'image/png',
  buffer: Buffer.from('Dear shop'),
};

/** A file above the limit of 10 MB. */
export const createOversizedImage = (): ImageFile => ({
  name: 'poster.png',
  mimeType: 'image/png',
  buffer: Buffer.alloc(10 * 1024 * 1024 + 1),
});
