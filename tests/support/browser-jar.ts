/** An HTTP client with a cookie jar, by host and path, that follows redirects only on request. */
export function createCookieClient() {
  const jar = new Map<string, { host: string; path: string; pair: string }>();

  async function visit(address: string, init: RequestInit = {}): Promise<Response> {
    const { hostname, pathname } = new URL(address);
    const headers = new Headers(init.headers);
    const cookies = [...jar.values()].filter(
      ({ host, path }) =>
        host === hostname && `${pathname}/`.startsWith(path.endsWith('/') ? path : `${path}/`),
    );
    headers.set('cookie', cookies.map(({ pair }) => pair).join('; '));
    const response = await fetch(address, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const path = /;\s*path=([^;]*)/i.exec(line)?.[1] ?? '/';
      const key = `${hostname} ${path} ${pair.split('=')[0]}`;
      const isExpired = /;\s*max-age=0/i.test(line) || /;\s*expires=[^;]*1970/i.test(line);
      if (isExpired) jar.delete(key);
      else jar.set(key, { host: hostname, path, pair });
    }
    return response;
  }

  return {
    visit,
    /** Follows redirects to a page, or to a URL that starts with `until`, which it does not request. */
    async followRedirects(
      address: string,
      init?: RequestInit,
      until?: string,
    ): Promise<{ url: string; response: Response }> {
      let url = address;
      let response = await visit(url, init);
      for (let hops = 0; hops < 20 && response.headers.has('location'); hops++) {
        url = new URL(response.headers.get('location') ?? '', url).href;
        if (until !== undefined && url.startsWith(until)) break;
        response = await visit(url);
      }
      return { url, response };
    },
  };
}
