import { type FormEvent, useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';

const typingPauseMs = 200;

/**
 * A GET form that searches as the user types; its fields are in the page's URL. `values` are the fields in the URL,
 * `search` is the URL's query, and `toSearch` builds it from the form's fields. Continuous typing is one step for Back.
 */
export function useSearchForm(
  values: Record<string, string>,
  search: string,
  toSearch: (fields: URLSearchParams) => string,
) {
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastSearch = useRef(search);
  const isTyping = useRef(false);
  /** Whether the current history entry is a search from the same typing, so that the next search replaces it. */
  const isOwnStep = useRef(false);

  useEffect(() => () => clearTimeout(timer.current), []);
  // After Back, Forward or a link, show the new query. After the form's own search, keep the text typed since.
  useEffect(() => {
    isOwnStep.current = isTyping.current && search === lastSearch.current;
    if (search === lastSearch.current) return;
    clearTimeout(timer.current);
    lastSearch.current = search;
    for (const [name, value] of Object.entries(values)) {
      const field = form.current?.elements.namedItem(name);
      if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = value !== '';
      else if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = value;
    }
  }, [search, values]);

  function show(replace: boolean): void {
    clearTimeout(timer.current);
    if (!form.current) return;
    const fields = [...new FormData(form.current)].map(([name, value]) => [name, String(value).trim()]);
    const next = toSearch(new URLSearchParams(fields));
    if (next === lastSearch.current) return;
    lastSearch.current = next;
    void navigate(next, { replace, preventScrollReset: true });
  }

  const searchTyped = () => show(isOwnStep.current);

  return {
    form,
    searchNow: () => show(false),
    searchSoon: () => {
      isTyping.current = true;
      clearTimeout(timer.current);
      timer.current = setTimeout(searchTyped, typingPauseMs);
    },
    /** For the form's `onBlur`. */
    stopTyping: () => {
      isTyping.current = false;
      isOwnStep.current = false;
    },
    /** For links beside the form: a search that is about to start would cancel their navigation. */
    cancel: () => clearTimeout(timer.current),
    submit: (event: FormEvent) => {
      event.preventDefault();
      searchTyped();
    },
  };
}
