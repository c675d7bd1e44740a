import { writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { ShopError } from '../../../contract/errors.ts';
import { endSignals } from '../../config/signals.ts';
import { type DecoderReply, decoderTask, outOfMemorySignal } from './decoder-messages.ts';
import { encodeImage } from './encode.ts';

/** libvips allocates outside V8's heap, about a gigabyte a second: 20 MB between two checks. */
const memoryCheckMs = 20;

// The program that `decoder-process.ts` starts. It takes one image at a time, and has neither settings nor secrets.
process.on('message', async (message) => {
  const { file, maxRssBytes } = decoderTask.parse(message);
  // While libvips works in its own threads, this one is free to watch the memory of the whole process.
  const watch = setInterval(() => {
    // process.exit would wait for libvips.
    if (process.memoryUsage.rss() > maxRssBytes) process.kill(process.pid, outOfMemorySignal);
  }, memoryCheckMs);
  const reply = await decode(file);
  clearInterval(watch);
  process.send?.(reply);
});

async function decode(file: Uint8Array): Promise<DecoderReply> {
  try {
    const { widths } = await encodeImage(file);
    return { webp: widths.map(({ bytes }) => bytes) };
  } catch (error) {
    if (error instanceof ShopError && (error.code === 'wrong_type' || error.code === 'too_large'))
      return { code: error.code, message: error.message };
    return { fault: inspect(error) };
  }
}

// Ctrl-C reaches this process too, but the server still finishes its requests; then it ends this one.
for (const signal of endSignals) process.on(signal, () => undefined);
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

try {
  // If Linux runs out of memory, it should end this process rather than the server.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Other systems have no such file.
}
