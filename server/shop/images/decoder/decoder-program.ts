import { writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { ShopError } from '../../../../contract/errors.ts';
import { shutdownSignals } from '../../../config/signals.ts';
import { type DecoderReply, decoderTask, outOfMemorySignal } from './decoder-messages.ts';
import { encodeImage } from './encode.ts';

/** libvips allocates outside V8's heap, about 1 GB per second, so 20 MB between two checks. */
const memoryCheckMs = 20;

// `decoder-process.ts` runs this program. It decodes one image at a time and has no settings or secrets.
process.on('message', async (message) => {
  const { file, maxRssBytes } = decoderTask.parse(message);
  // libvips works in its own threads, so this one can watch the memory of the process.
  const memoryCheck = setInterval(() => {
    // process.exit would wait for libvips.
    if (process.memoryUsage.rss() > maxRssBytes) process.kill(process.pid, outOfMemorySignal);
  }, memoryCheckMs);
  const reply = await encodeImage(file).then((webp) => ({ webp }), toErrorReply);
  clearInterval(memoryCheck);
  process.send?.(reply);
});

function toErrorReply(error: unknown): DecoderReply {
  if (error instanceof ShopError && (error.code === 'wrong_type' || error.code === 'too_large'))
    return { code: error.code, message: error.message };
  return { fault: inspect(error) };
}

// Ctrl-C reaches this process too. Ignore it: the server finishes its requests, then ends this process.
for (const signal of shutdownSignals) process.on(signal, () => undefined);
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

try {
  // If Linux runs out of memory, it should kill this process rather than the server.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Other systems have no such file.
}
