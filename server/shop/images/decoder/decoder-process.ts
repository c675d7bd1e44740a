import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ShopError } from '../../../../contract/errors.ts';
import { type DecoderTask, decoderReply, outOfMemorySignal } from './decoder-messages.ts';
import { damaged, retryLater } from './rejections.ts';

export type DecoderProcess = ReturnType<typeof startDecoderProcess>;

/** The build renames this file (`scripts/bundle.ts`). */
const program = fileURLToPath(new URL('decoder-program.ts', import.meta.url));

/** Starts a process that decodes one image at a time. Calls `onEnd` at least once when the process stops accepting images. */
export function startDecoderProcess(onEnd: () => void) {
  const child = fork(program, {
    execArgv: ['--max-old-space-size=64'],
    // Pass no settings or secrets. These variables make glibc release memory after each image (docs/decisions/009).
    env: { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // Don't keep the server alive.
  child.unref();
  child.channel?.unref();
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let current: PromiseWithResolvers<Uint8Array[]> | undefined;

  function end(error: Error): void {
    onEnd();
    current?.reject(error);
  }

  child.on('message', (message) => current?.resolve(Promise.try(readReply, message)));
  child.once('error', (cause) => end(interrupted(cause)));
  child.once('exit', (code, signal) => end(explainExit(code, signal)));

  return {
    exited,
    /** Throws `wrong_type` or `too_large`, also if the image crashed the process; `unavailable` if the process was killed. */
    decode(task: DecoderTask): Promise<Uint8Array[]> {
      current = Promise.withResolvers();
      child.send(task, (cause) => cause && end(interrupted(cause)));
      return current.promise;
    },
    /** Kills the process immediately. Its current image fails with this error. */
    kill(error: Error): void {
      end(error);
      child.kill('SIGKILL');
    },
  };
}

/** Throws the decoder's rejection, or an unexpected error if it failed or sent an invalid reply. */
function readReply(message: unknown): Uint8Array[] {
  const reply = decoderReply.parse(message);
  if ('webp' in reply) return reply.webp;
  if ('fault' in reply) throw new Error(reply.fault);
  throw new ShopError(reply.code, reply.message);
}

function explainExit(code: number | null, signal: NodeJS.Signals | null): ShopError {
  const cause = new Error(`The image decoder exited with ${signal ?? code}.`);
  if (signal === outOfMemorySignal) {
    const detail = 'This image needs too much memory to process. Please save it smaller.';
    return new ShopError('too_large', detail, { cause });
  }
  // These signals come from the operating system or an administrator. The image did not cause them.
  return signal === 'SIGKILL' || signal === 'SIGTERM' ? interrupted(cause) : damaged(cause);
}

const interrupted = (cause: Error): ShopError =>
  retryLater('Processing the image was interrupted. Please try again.', 2, cause);
