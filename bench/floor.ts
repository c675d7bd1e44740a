import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { type Row, toProduct } from './product-row.ts';

/**
 * The floor of calls that bypass the cache: `node:http` with `node:sqlite` or `pg` and nothing else. For each request it
 * verifies the bearer token, finds its session and user, reads the same rows as the shop and sends the same bytes.
 *
 * `node bench/floor.ts <file or URL of the shop's database>`, with the shop's AUTH_SECRET, prints its port.
 */
const [, , place = ''] = process.argv;
const secret = process.env.AUTH_SECRET ?? '';

const select = place.startsWith('postgres') ? openPostgres() : openSqlite();
const findSession = select(`
  select session."expiresAt", "user".* from session join "user" on "user".id = session."userId" where session.token = $1`);
const columns = `*, (
  select string_agg(url, ' ' order by position) from further_image where product_id = product.id) as further_images`;
const findProduct = select(`select ${columns} from product where id = $1`);
const listProducts = select(
  `select ${columns} from product where archived_at is null order by id limit cast($1 as integer)`,
);

function openSqlite() {
  const database = new DatabaseSync(place);
  return (text: string) => {
    const statement = database.prepare(text.replaceAll('$1', '?1'));
    return async (value: string | number): Promise<Row[]> => statement.all(value);
  };
}

function openPostgres() {
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({ connectionString: place, max: 10 });
  return (text: string) =>
    async (value: string | number): Promise<Row[]> =>
      (await pool.query<Row>(text, [value])).rows;
}

/** Throws unless the request has the token of a session that has not expired. */
async function checkSession({ headers }: IncomingMessage): Promise<void> {
  const signed = headers.authorization?.slice('Bearer '.length) ?? '';
  const token = signed.slice(0, signed.lastIndexOf('.'));
  const signature = createHmac('sha256', secret).update(token).digest('base64');
  if (!timingSafeEqual(Buffer.from(signed), Buffer.from(`${token}.${signature}`)))
    throw new Error('The token is forged.');
  const [session] = await findSession(token);
  if (!(new Date(`${session?.expiresAt}`).getTime() > Date.now())) throw new Error('There is no session.');
}

async function answer({ url = '' }: IncomingMessage): Promise<unknown> {
  const limit = /^\/api\/products\?limit=(\d+)$/.exec(url)?.[1];
  if (limit !== undefined) return (await listProducts(Number(limit))).map(toProduct);
  const [product] = await findProduct(url.slice('/api/products/'.length));
  return toProduct(product ?? {});
}

const server = createServer(async (request, response) => {
  await checkSession(request);
  const body = JSON.stringify(await answer(request));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address === 'object') process.stdout.write(`${address.port}\n`);
});
