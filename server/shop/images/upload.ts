import { sql } from 'kysely';
import { fileTooLarge, maxImageBytes, type Uploaded } from '../../../contract/catalogue/images.ts';
import { errorTable, invalid, ShopError } from '../../../contract/errors.ts';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import type { Db, Tx } from '../../database/schema.ts';
import { errorHeaders } from '../../http/problem.ts';
import { createFairQueue } from '../../http/rate-limit.ts';
import { findFile, readBody, readBoundary } from '../../http/request.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { createBodyBudget, type SetEvict } from './decoder/body-budget.ts';
import type { Decoder } from './decoder/decoder.ts';
import { imageWidths } from './decoder/encode.ts';
import { getImagePath, hashImage, parseImagePath } from './image-paths.ts';

export const maxUploadBodyBytes = maxImageBytes + 64 * 1024;

/** A fraction of a process's concurrent requests, because waiting uploads are exempt from the minimum transfer rate. */
const maxWaitingUploads = 200;

type Uploader = Pick<SessionUser, 'id' | 'role'>;

type Options = {
  database: Database;
  decoder: Decoder;
  maxUploadBytes: number;
  /** Counts a user's upload against the rate limit and throws `too_many_attempts`. */
  countUpload: (userId: string) => Promise<void>;
  /** Counts the bytes of an image in the transaction that stores it, and throws `too_many_attempts`. */
  countBytes: (tx: Tx, user: Uploader, bytes: number) => Promise<void>;
};

/** Receives images for the shop's own image host. Callers authenticate the user. */
export function createImageHost({ database, decoder, maxUploadBytes, countUpload, countBytes }: Options) {
  // Further bodies of the same user wait in their sockets, not in our memory.
  const takeTurn = createFairQueue(2, maxWaitingUploads);
  const holdBody = createBodyBudget(maxUploadBytes);

  /** Reads a body that contains an image and passes it to `use`, within the limits per user and in total. */
  async function receive<Body, Result>(
    userId: string,
    read: (count: (bytes: number) => void) => Promise<Body>,
    use: (body: Body, setEvict: SetEvict) => Promise<Result>,
  ): Promise<Result> {
    await countUpload(userId);
    return takeTurn(userId, () => {
      decoder.prepare();
      return holdBody(userId, read, use);
    });
  }

  /**
   * Stores the image in every width and returns its URL. Throws `unreadable`, `wrong_type` or `too_large` for a file that cannot be
   * stored, `too_many_attempts` above the rate limit, and `unavailable` if the client should retry.
   */
  async function store(file: Uint8Array, user: Uploader, setEvict: SetEvict): Promise<string> {
    if (file.length > maxImageBytes) throw new ShopError('too_large', fileTooLarge);
    if (file.length === 0) throw new ShopError('unreadable', 'This file is empty (0 bytes). Choose another.');
    const webp = await decoder.decode(user.id, file, setEvict);
    return database.transaction(async (tx) => {
      await countBytes(
        tx,
        user,
        webp.reduce((sum, { length }) => sum + length, 0),
      );
      return insertImage(tx, webp, user.id);
    });
  }

  /** `POST /1/upload`. Callers convert a `ShopError` to a response with `rejectUpload`. */
  async function upload(request: Request, user: Uploader): Promise<Response> {
    try {
      const url = await receive(
        user.id,
        (count) => readUpload(request, count),
        (file, setEvict) => store(file, user, setEvict),
      );
      return respond({ success: true, status: 200, data: { url } });
    } catch (error) {
      await drainBody(request);
      throw error;
    }
  }

  return { receive, store, upload };
}

/** Reads the file in the field `image` of a multipart request. Calls `count` with the size of each chunk. */
async function readUpload(request: Request, count: (bytes: number) => void): Promise<Uint8Array> {
  const type = request.headers.get('content-type') ?? '';
  if (!readBoundary(type))
    throw new ShopError('wrong_type', 'Send the image as multipart/form-data, in the field image.');
  const body = await readBody(request, maxUploadBodyBytes, fileTooLarge, count);
  const file = findFile(body, type, 'image');
  if (!file) throw new ShopError('unreadable', 'No image was sent: choose a file first.');
  return file;
}

/** Reads the rest of a rejected request's body: some clients read the response only after sending everything. */
export async function drainBody(request: Request): Promise<void> {
  // A client that has disconnected reads no response.
  if (!request.bodyUsed) await readBody(request, 0).catch(() => undefined);
}

/** The response to a failed `POST /1/upload`, as the hosting protocol defines it. */
export function rejectUpload(error: ShopError): Response {
  const { status } = errorTable[error.code];
  return respond({ success: false, status, error: { message: error.message } }, errorHeaders(error));
}

function respond(body: Uploaded, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status: body.status, headers: { ...headers, 'cache-control': 'no-store' } });
}

/**
 * Stores an image's files in the order of `imageWidths`, or resets its age. An image that several users upload belongs to none of
 * them. Returns its URL.
 */
export async function insertImage(
  tx: Tx,
  webp: Uint8Array[],
  userId: string | null,
  now = Date.now(),
): Promise<string> {
  if (webp.length !== imageWidths.length && webp.length !== imageWidths.length - 1)
    throw new TypeError('An image has three or four widths');
  const hash = hashImage(webp);
  const rows = webp.map((bytes, index) => {
    const width = imageWidths[index] ?? 0;
    return {
      id: `${hash}-${width}`,
      hash,
      width,
      type: 'image/webp',
      bytes,
      user_id: userId,
      created_at: now,
    };
  });
  await tx
    .insertInto('image')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        created_at: now,
        user_id: sql<string | null>`case when image.user_id = excluded.user_id then image.user_id end`,
      }),
    )
    .execute();
  return getImagePath(webp);
}

type ImageSettings = Pick<Config, 'imageHost'>;

/**
 * Product and review images must be our own, or https URLs if a hosted service is configured. The check throws 422 for any other
 * URL.
 */
export function createImageCheck(config: ImageSettings) {
  return async function checkImage(tx: Tx, url: string): Promise<void> {
    if ((await findUnknownImages(config, tx, [url])).size > 0)
      throw invalid('img', 'Image must be one that was uploaded here: choose the image again');
  };
}

/** Hashes per statement. SQLite accepts 32,766 parameters, PostgreSQL 65,535. */
const maxHashes = 500;

/**
 * The URLs that are not allowed as images of products and reviews. Resets the age of the allowed images, so that they are not
 * deleted before the row that will use them exists.
 */
export async function findUnknownImages(
  { imageHost }: ImageSettings,
  db: Db | Tx,
  urls: string[],
): Promise<Set<string>> {
  const own = imageHost === undefined ? urls : urls.filter((url) => URL.parse(url)?.protocol !== 'https:');
  const hashes = [...new Set(own.flatMap((url) => parseImagePath(url)?.hash ?? []))];
  const known = new Set<string>();
  for (let index = 0; index < hashes.length; index += maxHashes) {
    const touched = await db
      .updateTable('image')
      .set({ created_at: Date.now() })
      .where('hash', 'in', hashes.slice(index, index + maxHashes))
      .returning('hash')
      .execute();
    for (const { hash } of touched) known.add(hash);
  }
  return new Set(own.filter((url) => !known.has(parseImagePath(url)?.hash ?? '')));
}
