/**
 * Opens a page as a document of its own, such as a payment page, whose security policy allows the card provider. Resolves if the
 * user comes back and the browser has kept this document.
 */
export function openDocument(path: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    addEventListener(
      'pageshow',
      ({ persisted }) => {
        if (!persisted) return;
        stop.abort();
        resolve();
      },
      { signal: stop.signal },
    );
    location.assign(path);
  });
}
