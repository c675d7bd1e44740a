import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import type { AskCall, CallParts, DirectAnswer, Render } from '../../contract/pages.ts';
import type { CallName } from '../../contract/paths.ts';
import { encodeAtOnce } from '../encoding.ts';
import { collectWhenIdle } from '../idle.ts';
import { type Asked, type Given, type Host, type Page, passOn, type Thread } from './messages.ts';

// The thread that `renderer.ts` opens: makes pages, and asks for what they show.
if (!parentPort) throw new Error('This is a thread of the shop.');
const port = parentPort;
const { root, manifest, compileCache }: Given = workerData;
if (compileCache) module.enableCompileCache(compileCache);
const entry: { render: Render } = await import(pathToFileURL(join(root, 'server', manifest.server)).href);

const host = createBirpc<Host, Thread>(
  {
    ready: () => undefined,
    render: (number, asked) =>
      render(number, asked).catch((error: unknown) => {
        throw sendable(error);
      }),
  },
  {
    post: (message) => port.postMessage(message),
    on: (hear) => port.on('message', hear),
    timeout: -1,
    onGeneralError: passOn,
  },
);

// The log is JSON, and a library's warning may quote what a visitor sent: report only where it came from.
for (const output of [process.stdout, process.stderr])
  output.write = () => {
    host.reportOutput.asEvent(new Error('output of a page')).catch(() => undefined);
    return true;
  };

async function render(number: number, { encoding, form, ...asked }: Asked): Promise<Page> {
  const askCall: AskCall = async <Name extends CallName>(
    name: Name,
    { params = {}, query = {} }: CallParts,
  ) =>
    // What is asked by a name is answered by it; messages have no types.
    (await host.ask(number, name, { params, query })) as DirectAnswer<Name>;
  const call: AskCall = async <Name extends CallName>(
    name: Name,
    { params = {}, query = {}, body, idempotencyKey }: CallParts,
  ) => {
    const given = { params, query, body, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
    return (await host.callForForm(number, name, given)) as DirectAnswer<Name>;
  };
  const actions = {
    call,
    askIdentity: (path: string, body: object) => host.askIdentity(number, path, body),
  };
  const post = form && { form, actions };
  const { html, error, ...rest } = await entry.render({ ...asked, askCall, manifest, post });
  const page = { ...rest, body: encodeAtOnce(html, encoding), encoding };
  return error === undefined ? page : { ...page, error: sendable(error) };
}

/** Errors may hold what no message can: they are described then. */
function sendable(error: unknown): unknown {
  try {
    return structuredClone(error);
  } catch {
    return inspect(error);
  }
}

collectWhenIdle();
