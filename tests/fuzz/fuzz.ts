import fc from 'fast-check';
import { auditBooks, type OpeningStock, readBooks } from '../support/auditor.ts';
import { startShop } from '../support/shop.ts';
import { readDocument } from './document.ts';
import type { Plan } from './plan.ts';
import { generatePlans } from './plans.ts';
import { createRawClient, type ReceivedResponse, readPathname, type SentRequest } from './raw-client.ts';
import { findViolation } from './response-checks.ts';
import { prepareShop } from './world.ts';

type Report = {
  requests: number;
  /** Number of responses by status. */
  statuses: Map<number, number>;
  /** Operations that never succeeded. */
  neverSucceeded: string[];
  /** The violation with its shrunk request and the response, if any. */
  finding: string | undefined;
};

type Target = Pick<NonNullable<Parameters<typeof startShop>[0]>, 'engine' | 'place'>;

// Rate limits would hide everything behind them.
const rateLimits = {
  signInsPerAddressAndEmail: 1e9,
  signInsPerAddress: 1e9,
  signUpsPerAddress: 1e9,
  intentsPerUser: 1e9,
  uploadsPerUser: 1e9,
  reviewsPerUser: 1e9,
  reviewEditsPerUser: 1e9,
  reportsPerUser: 1e9,
};

/** Sends random requests generated from the shop's `openapi.json`, and checks each response, then the data. */
export async function fuzz(target: Target, requests: number, seed: number): Promise<Report> {
  await using shop = await startShop({ ...target, rateLimits, allowErrorLogs: true });
  await shop.listen();
  const document = await readDocument(shop.origin);
  const { db } = shop.database;
  const opening = new Map<string, OpeningStock>();
  const recordProducts = async () => {
    const rows = await db.selectFrom('product').select(['id', 'available']).execute();
    for (const { id, available } of rows) if (!opening.has(id)) opening.set(id, { stock: available });
  };
  const world = await prepareShop(shop, recordProducts);
  const wire = createRawClient(shop.origin);
  const statuses = new Map<number, number>();
  const succeeded = new Set<string>();

  async function attempt(plan: Plan): Promise<void> {
    const sent = await world.prepare(plan).catch((error: unknown) => {
      throw new Error(`The plan's data could not be created: ${error}`);
    });
    const logged = shop.logged.length;
    const response = await wire.send(sent).catch((cause: unknown) => {
      throw new Error(describeViolation(sent, undefined, `There is no response: ${cause}`));
    });
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    const loggedError = shop.logged.slice(logged).find(({ level }) => level >= 50);
    const violation = loggedError
      ? `The shop logged ${JSON.stringify(loggedError)}`
      : findViolation(document, sent, response);
    if (violation) throw new Error(describeViolation(sent, response, violation));
    if (response.status >= 300) return;
    world.forgetChanged(sent, response);
    const call = document.find(sent.method, readPathname(sent))?.operationId;
    if (call) succeeded.add(call);
    if (call === 'addProduct') await recordProducts();
  }

  const property = fc.asyncProperty(generatePlans(document.operations), attempt);
  const result = await fc.check(property, { numRuns: requests, seed });
  const healthy = await wire.send({ method: 'GET', path: '/healthz', headers: {} }).catch(() => undefined);
  wire.close();
  const violations = auditBooks(await readBooks(shop.config.database), opening);
  const role = db.selectFrom('user').select('role').where('email', '=', world.people.customer.email);
  if ((await role.executeTakeFirst())?.role) violations.push('The customer is an admin.');
  if (Object.keys(Object.prototype).length > 0) violations.push('Every object has a new property.');
  if (healthy?.status !== 200) violations.push('The shop no longer responds.');
  return {
    requests: [...statuses.values()].reduce((sum, count) => sum + count, 0),
    statuses: new Map([...statuses].sort(([a], [b]) => a - b)),
    neverSucceeded: document.operations
      .map(({ operationId }) => operationId)
      .filter((name) => !succeeded.has(name)),
    finding: result.failed ? readMessage(result.errorInstance) : violations.join('\n') || undefined,
  };
}

const readMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));

function describeViolation(
  { method, path, headers, body }: SentRequest,
  response: ReceivedResponse | undefined,
  violation: string,
): string {
  const formatBody = (bytes: Buffer | undefined) =>
    bytes ? JSON.stringify(bytes.toString('latin1').slice(0, 2000)) : '';
  const formatHeaders = (named: Record<string, string>) =>
    Object.entries(named).map(([name, value]) => `  ${name}: ${value.slice(0, 300)}`);
  return [
    violation,
    `${method} ${path.slice(0, 2000)}`,
    ...formatHeaders(headers),
    `  ${formatBody(body)}`,
    ...(response
      ? [`response ${response.status}`, ...formatHeaders(response.headers), `  ${formatBody(response.body)}`]
      : []),
  ].join('\n');
}
