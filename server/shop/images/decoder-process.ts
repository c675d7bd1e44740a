import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ShopError } from '../../../contract/errors.ts';
import { type EncodedImage, nameByHash } from './addresses.ts';
import { type DecoderTask, decoderReply, outOfMemorySignal } from './decoder-messages.ts';
import { damaged } from './errors.ts';

export type DecoderProcess = ReturnType<typeof startDecoderProcess>;

/** In this folder; the build gives it another name (`scripts/bundle.ts`). */
const program = fileURLToPath(new URL('decoder-program.ts', import.meta.url));

/** Starts a process that decodes one image at a time. Calls `onEnd` once it can take no more. */
export function startDecoderProcess(onEnd: () => void) {
  const child = fork(program, {
    execArgv: ['--max-old-space-size=64'],
    // No settings and no secrets. These make glibc return memory after each image (docs/decisions/009).
    env: { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // Don't keep the server alive.
  child.unref();
  child.channel?.unref();
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let current: PromiseWithResolvers<EncodedImage> | undefined;
  let ended = false;

  function end(why: Error): void {
    if (!ended) onEnd();
    ended = true;
    current?.reject(why);
    current = undefined;
  }

  child.on('message', (message) => {
    const task = current;
    current = undefined;
    task?.resolve(Promise.try(readReply, message));
  });
  child.once('error', (cause) => end(interrupted(cause)));
  child.once('exit', (code, signal) => end(explainEnd(code, signal)));

  return {
    exited,
    /** Throws `wrong_type` or `too_large`, also if the image crashed the process; `unavailable` if it was killed. */
    decode(task: DecoderTask): Promise<EncodedImage> {
      const work = Promise.withResolvers<EncodedImage>();
      current = work;
      child.send(task, (cause) => cause && end(interrupted(cause)));
      return work.promise;
    },
    /** Kills the process at once; its current image fails with this error. */
    kill(why: Error): void {
      end(why);
      child.kill('SIGKILL');
    },
  };
}

/** Throws the decoder's refusal, or an unexpected error if the decoder failed or sent something else. */
function readReply(message: unknown): EncodedImage {
  const reply = decoderReply.parse(message);
  if ('webp' in reply) return nameByHash(reply.webp);
  if ('fault' in reply) throw new Error(reply.fault);
  throw new ShopError(reply.code, reply.message);
}

function explainEnd(code: number | null, signal: NodeJS.Signals | null): ShopError {
  const cause = new Error(`The image decoder ended with ${signal ?? code}.`);
  if (signal === outOfMemorySignal) {
    return new ShopError(
      'too_large',
      'This picture takes too much memory to process. Please save it smaller.',
      { cause },
    );
  }
  // Killed by the system or its administrator, not because of the image.
  return signal === 'SIGKILL' || signal === 'SIGTERM' ? interrupted(cause) : damaged(cause);
}

function interrupted(cause: Error): ShopError {
  return new ShopError('unavailable', 'Reading the picture was interrupted. Please try again.', {
    retryAfter: 2,
    cause,
  });
}
