/**
 * Opens a page as a document of its own, such as a payment page, whose security policy allows the card provider. Resolves if the
 * user comes back and the browser has kept this document, or to true if the user stops the loading.
 */
export function openDocument(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const { signal } = stop;
    const stay = (isStopped: boolean) => {
      stop.abort();
      resolve(isStopped);
    };
    addEventListener('pageshow', ({ persisted }) => persisted && stay(false), { signal });
    // Older browsers do not tell.
    if ('navigation' in window)
      window.navigation.addEventListener('navigateerror', () => stay(true), { signal });
    location.assign(path);
  });
}
