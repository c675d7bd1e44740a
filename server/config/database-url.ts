/** Scheme and user, hosts, and the rest. A password may contain an `@`, but no unescaped slash. */
const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/**
 * Splits a `DATABASE_URL` in libpq's syntax (`postgres://user@a,b:5433/shop`) into one URL per server, in the same order. `pg`
 * would look up "a,b" as one name.
 */
export function listServerUrls(url: string): [string, ...string[]] {
  const [, start = '', hosts = '', rest = ''] = parts.exec(url) ?? [];
  const [first = '', ...others] = hosts.split(',');
  return others.length === 0 ? [url] : [start + first + rest, ...others.map((host) => start + host + rest)];
}

/** Values of `target_session_attrs` with which a session can write, as the shop does. */
const writableSessions = ['any', 'read-write', 'primary'];

/** Whether the address of each server is valid and `target_session_attrs`, if set, allows sessions that can write. */
export function isDatabaseUrl(url: string): boolean {
  const urls = listServerUrls(url);
  // If there is only one host, `pg` checks the URL. It also accepts a socket: postgres://me@/shop?host=/run/postgresql.
  if (urls.length > 1 && !urls.every((one) => URL.parse(one)?.hostname)) return false;
  const query = new URLSearchParams(url.split('?')[1]);
  return (
    !query.get('host')?.includes(',') && writableSessions.includes(query.get('target_session_attrs') ?? 'any')
  );
}
