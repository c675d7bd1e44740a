import { readFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import type { AskCall, DirectAnswer, Manifest, Render } from '../../contract/pages.ts';
import type { CallName } from '../../contract/paths.ts';
import { encodeAtOnce } from '../encoding.ts';
import { collectWhenIdle } from '../idle.ts';
import type { Given, Host, Thread } from './renderer.ts';

// The thread that `renderer.ts` opens: makes pages, and asks for what they show.
if (!parentPort) throw new Error('This is a thread of the shop.');
const port = parentPort;
const { root, compileCache }: Given = workerData;
if (compileCache) module.enableCompileCache(compileCache);
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'manifest.json'), 'utf8'));
const entry: { render: Render } = await import(pathToFileURL(join(root, 'server/entry-server.js')).href);

const host = createBirpc<Host, Thread>(
  {
    ready: () => undefined,
    async render(page, { anonymous, encoding, ...asked }) {
      const askCall: AskCall = async <Name extends CallName>(
        name: Name,
        { params = {}, query = {} }: Parameters<AskCall>[1],
      ) =>
        // What is asked by a name is answered by it; messages have no types.
        (await host.ask(page, name, { params, query })) as DirectAnswer<Name>;
      const { html, ...rest } = await entry.render({ ...asked, askCall, manifest });
      // What everybody gets is compressed once, where it is kept (`kept.ts`).
      const isKept = anonymous && rest.status === 200;
      return { ...rest, body: encodeAtOnce(html, isKept ? 'identity' : encoding) };
    },
  },
  { post: (message) => port.postMessage(message), on: (hear) => port.on('message', hear), timeout: -1 },
);

collectWhenIdle();
