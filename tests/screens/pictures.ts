import sharp from 'sharp';

type File = { name: string; mimeType: string; buffer: Buffer };

/** A picture as somebody chooses it from their disk. */
export async function createPhoto(): Promise<File> {
  const plain = sharp({ create: { width: 640, height: 480, channels: 3, background: '#8a5a12' } });
  return { name: 'bench.jpg', mimeType: 'image/jpeg', buffer: await plain.jpeg().toBuffer() };
}

/** Something that only says that it is one. */
export const invalidImage: File = {
  name: 'letter.png',
  mimeType: 'image/png',
  buffer: Buffer.from('Dear shop'),
};

/** A file of more than the 10 MB that are taken. */
export const createOversizedImage = (): File => ({
  name: 'poster.png',
  mimeType: 'image/png',
  buffer: Buffer.alloc(10 * 1024 * 1024 + 1),
});
