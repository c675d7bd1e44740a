import type { ComponentProps, MouseEvent } from 'react';
import { useLocation, useNavigate } from 'react-router';

export type LinkProps = Omit<ComponentProps<'a'>, 'href'> & {
  /** An absolute path, or a query or fragment of the current page; `?` removes its query. */
  to: string;
  /** Loads a new document, for pages with their own security policy. */
  reloadDocument?: boolean;
  /** Keeps the scroll position. */
  preventScrollReset?: boolean;
};

/**
 * A link within the shop. React Router's own `Link` includes framework-mode prefetching, which we do not use and which
 * would add 2 KB to every page; its hooks resolve each path twice, which took a quarter of the time to render My Orders.
 */
export function Link({ to, reloadDocument, preventScrollReset = false, onClick, ...rest }: LinkProps) {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const href = to.startsWith('/') ? to : pathname + (to === '?' ? '' : to);
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        onClick?.(event);
        if (reloadDocument || event.defaultPrevented || !isPlainClick(event)) return;
        event.preventDefault();
        void navigate(href, {
          preventScrollReset,
          replace: event.currentTarget.href === window.location.href,
        });
      }}
    />
  );
}

/** A click that follows the link in this tab, not one that opens another tab, a window or a menu. */
function isPlainClick({
  button,
  metaKey,
  ctrlKey,
  shiftKey,
  altKey,
  currentTarget,
}: MouseEvent<HTMLAnchorElement>) {
  const isModified = metaKey || ctrlKey || shiftKey || altKey;
  return button === 0 && !isModified && ['', '_self'].includes(currentTarget.target);
}

/** A menu link, marked on the current page and, unless `end` is set, on the pages below it. */
export function NavLink({ end = false, ...rest }: LinkProps & { end?: boolean }) {
  const { pathname } = useLocation();
  const isCurrent = pathname === rest.to || (!end && pathname.startsWith(`${rest.to}/`));
  return <Link {...rest} aria-current={isCurrent ? 'page' : undefined} />;
}
