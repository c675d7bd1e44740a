import sharp from 'sharp';
import type { TestUser } from './requests.ts';
import type { createShopClient } from './shop-client.ts';

export const pixelPng = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#8a5a12' } })
  .png()
  .toBuffer();

/** Uploads an image, as the form does, and returns its URL. */
export async function postImage(
  client: Pick<ReturnType<typeof createShopClient>, 'send'>,
  person: TestUser,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const body = new FormData();
  body.set('image', new Blob([bytes]));
  const response = await client.send('/1/upload?key=', { method: 'POST', body }, person);
  const { data }: { data: { url: string } } = await response.json();
  return data.url;
}
