import type { createBrowserRouter } from 'react-router';
import { isPlainClick } from './plain-click.ts';

/**
 * Shows at once which link was pressed, until its page opens: `data-pending` on the link, `data-navigating` on the document.
 * Outside React, which would render every link twice. Also opens the footer's links within the document.
 */
export function followLinks(router: ReturnType<typeof createBrowserRouter>): void {
  const { documentElement } = document;
  let pressed: HTMLAnchorElement | undefined;
  addEventListener(
    'click',
    ({ target }) => {
      pressed = (target instanceof Element && target.closest('a')) || undefined;
    },
    true,
  );
  router.subscribe(({ navigation, location }) => {
    const next = navigation.state === 'loading' ? navigation.location : undefined;
    // Filters and a search as you type reload the page's data.
    documentElement.toggleAttribute(
      'data-navigating',
      next !== undefined && next.pathname !== location.pathname,
    );
    pressed?.toggleAttribute('data-pending', next !== undefined);
  });
  document.querySelector('body > footer')?.addEventListener('click', (event) => {
    if (!pressed || !(event instanceof MouseEvent) || !isPlainClick(event)) return;
    event.preventDefault();
    void router.navigate(pressed.pathname + pressed.search, { replace: pressed.href === location.href });
  });
}
