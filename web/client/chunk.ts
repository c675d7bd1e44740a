const chunkTimeoutMs = 120_000;

/** Waits for a lazily loaded script, with the timeout and the error that the specification requires. */
export function loadChunk<Module>(script: Promise<Module>): Promise<Module> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => {
      const error = new Error('Loading chunk failed', { cause });
      error.name = 'ChunkLoadError';
      reject(error);
    };
    const timer = setTimeout(fail, chunkTimeoutMs);
    script.then(resolve, fail).finally(() => clearTimeout(timer));
  });
}
