import type { createBrowserRouter } from 'react-router';
import { isPlainClick } from './plain-click.ts';

/**
 * Marks a pressed link with `data-pending` and the document with `data-navigating` until the page of the link opens. React is not
 * involved, because it would render every link twice. Also opens the footer's links within the document.
 */
export function followLinks(router: ReturnType<typeof createBrowserRouter>): void {
  const { documentElement } = document;
  let pressed: HTMLAnchorElement | undefined;
  let marked: HTMLAnchorElement | undefined;
  addEventListener(
    'click',
    ({ target }) => {
      pressed = (target instanceof Element && target.closest('a')) || undefined;
    },
    true,
  );
  router.subscribe(({ navigation, location }) => {
    const next = navigation.state === 'loading' ? navigation.location : undefined;
    // A filter or a search as you type only reloads the page's data, so the document is not marked.
    documentElement.toggleAttribute(
      'data-navigating',
      next !== undefined && next.pathname !== location.pathname,
    );
    marked?.removeAttribute('data-pending');
    marked = next && pressed;
    marked?.setAttribute('data-pending', '');
    // Later navigations, such as a search as you type, don't come from the link.
    if (!next) pressed = undefined;
  });
  document.querySelector('body > footer')?.addEventListener('click', (event) => {
    if (!pressed || !(event instanceof MouseEvent) || !isPlainClick(event)) return;
    event.preventDefault();
    void router.navigate(pressed.pathname + pressed.search, { replace: pressed.href === location.href });
  });
}
