import type { ComponentProps } from 'react';
import { useHref, useLinkClickHandler, useLocation, useResolvedPath } from 'react-router';

export type LinkProps = Omit<ComponentProps<'a'>, 'href'> & {
  to: string;
  /** Fetches a new document, as pages with a security policy of their own need. */
  reloadDocument?: boolean;
  /** Stays where the page is scrolled to. */
  preventScrollReset?: boolean;
};

/**
 * A link inside the shop. The router's own `Link` brings the prefetching of a framework that we do not use, 2 KB
 * of every page.
 */
export function Link({ to, reloadDocument, preventScrollReset = false, onClick, ...rest }: LinkProps) {
  const follow = useLinkClickHandler<HTMLAnchorElement>(to, { preventScrollReset });
  return (
    <a
      {...rest}
      href={useHref(to)}
      onClick={(event) => {
        onClick?.(event);
        if (!reloadDocument && !event.defaultPrevented) follow(event);
      }}
    />
  );
}

/** A link of a menu: marked as the current page there and, but for `end`, on the pages below it. */
export function NavLink({ end = false, ...rest }: LinkProps & { end?: boolean }) {
  const { pathname } = useLocation();
  const own = useResolvedPath(rest.to).pathname;
  const here = pathname === own || (!end && pathname.startsWith(`${own}/`));
  return <Link {...rest} aria-current={here ? 'page' : undefined} />;
}
