import { useCallback, useEffect, useRef, useState } from 'react';
import { loadChunk } from '../../client/chunk.ts';
import type { Popup, SearchPage } from './suggestions.tsx';

/**
 * Suggests tools below a search box, if `isOffered`: spread `box` into the box, and show `list` in the same positioned element.
 * The scripts are loaded when the box first gets the focus; if loading fails, the box works without suggestions. `page` is the
 * catalogue, which searches as the user types; on other pages, the suggestions are searched for.
 */
export function useSuggestions(isOffered: boolean, page?: SearchPage) {
  const ref = useRef<HTMLInputElement>(null);
  const [part, setPart] = useState<typeof import('./suggestions.tsx')>();
  const [popup, setPopup] = useState<Popup>();
  const load = useCallback(() => {
    loadChunk(import('./suggestions.tsx')).then(setPart, () => undefined);
  }, []);
  // The box may have the focus before the page is hydrated.
  useEffect(() => {
    if (isOffered && ref.current === document.activeElement) load();
  }, [isOffered, load]);
  return {
    box: {
      ref,
      ...(isOffered
        ? {
            role: 'combobox',
            'aria-autocomplete': 'list' as const,
            'aria-expanded': popup !== undefined,
            'aria-controls': popup?.id,
            'aria-activedescendant': popup?.option,
            onFocus: load,
          }
        : {}),
    },
    list: isOffered && part && <part.Suggestions box={ref} page={page} onChange={setPopup} />,
  };
}
