const timeOut = 120_000;

/** Waits for a page's script, as long as the specification lets it take, and names the failure as it does. */
export function loadChunk<Module>(script: Promise<Module>): Promise<Module> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => {
      const error = new Error('Loading chunk failed', { cause });
      error.name = 'ChunkLoadError';
      reject(error);
    };
    const timer = setTimeout(fail, timeOut);
    script.then(resolve, fail).finally(() => clearTimeout(timer));
  });
}
