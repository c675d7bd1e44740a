import type { ComponentProps } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { isPlainClick } from '../client/plain-click.ts';

export type LinkProps = Omit<ComponentProps<'a'>, 'href' | 'target'> & {
  /** An absolute path, or a query or fragment of the current page; `?` removes its query. */
  to: string;
  /** With a target, the browser follows the link itself: `_self` loads a new document. */
  target?: '_self' | '_blank';
  /** Keeps the scroll position. */
  preventScrollReset?: boolean;
};

/**
 * A link within the shop. React Router's own `Link` includes framework-mode prefetching, which we do not use and which
 * would add 2 KB to every page; its hooks resolve each path twice, which took a quarter of the time to render My Orders.
 */
export function Link({ to, preventScrollReset = false, onClick, ...rest }: LinkProps) {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const href = to.startsWith('/') ? to : pathname + (to === '?' ? '' : to);
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || rest.target || !isPlainClick(event)) return;
        event.preventDefault();
        void navigate(href, {
          preventScrollReset,
          replace: event.currentTarget.href === location.href,
        });
      }}
    />
  );
}

/** A menu link, marked on the current page and, unless `end` is set, on the pages below it. */
export function NavLink({ end = false, ...rest }: LinkProps & { end?: boolean }) {
  const { pathname } = useLocation();
  const isCurrent = pathname === rest.to || (!end && pathname.startsWith(`${rest.to}/`));
  return <Link {...rest} aria-current={isCurrent ? 'page' : undefined} />;
}
