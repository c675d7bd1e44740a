import { type RefObject, useEffect, useEffectEvent, useId, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Product } from '../../../contract/catalogue/products.ts';
import { purchasePages } from '../../../contract/page-addresses.ts';
import { getSession } from '../../client/session.ts';
import { Marked } from '../../pages/products/marked.tsx';
import { splitWords } from '../../pages/products/matches.ts';
import { useAllStyles, useMoney } from '../../shop.tsx';
import { StatusBadge } from '../status-badge.tsx';
import { getThumbnailUrl } from './product-image.tsx';

export type SuggestedTool = Pick<Product, '_id' | 'name' | 'img' | 'price' | 'o_quantity' | 'a_quantity'>;

/** The tools that a search finds, best first. */
type SearchResults = { q: string; tools: SuggestedTool[] };

export type SearchPage = SearchResults & {
  /** Called before a tool is opened. */
  onFollow: () => void;
};

/** The id of the shown list, and the id of its chosen option. */
export type Popup = { id: string; option: string | undefined };

type Props = {
  box: RefObject<HTMLInputElement | null>;
  /**
   * On the catalogue, its results for the text in the box: they become the suggestions. Undefined elsewhere, where this component
   * searches.
   */
  page: SearchPage | undefined;
  onChange: (popup: Popup | undefined) => void;
};

const maxTools = 5;
const minLetters = 2;
const typingPauseMs = 200;

/**
 * The tools that a search box suggests while the user types. The focus stays in the box, and the arrow keys choose a tool: the
 * combobox pattern of the ARIA Authoring Practices Guide.
 */
export function Suggestions({ box, page, onChange }: Props) {
  const id = useId();
  const money = useMoney();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [chosenId, setChosenId] = useState<string>();
  const found = useSearch(page ? '' : typed);
  const { q } = page ?? found;
  const tools = (page ?? found).tools.slice(0, maxTools);
  const isShown = isOpen && typed.length >= minLetters && q !== '' && tools.length > 0;
  // A chosen tool stays chosen when new results arrive. -1: the choice is the box.
  const chosen = tools.findIndex(({ _id }) => _id === chosenId);
  const option = isShown && tools[chosen] ? `${id}-${chosen}` : undefined;

  function open(index: number): void {
    const tool = tools[index];
    if (!tool) return;
    setIsOpen(false);
    if (page) page.onFollow();
    else box.current?.form?.reset();
    void navigate(`${purchasePages}/${tool._id}`);
  }

  const handleInput = useEffectEvent(() => {
    setTyped(box.current?.value.trim() ?? '');
    setIsOpen(true);
    setChosenId(undefined);
  });

  const handleReset = useEffectEvent(() => {
    setTyped('');
    setIsOpen(false);
  });

  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.isComposing) return;
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      setIsOpen(true);
      // From the last tool, the choice returns to the box.
      const places = tools.length + 1;
      const from = isShown ? chosen + 1 : 0;
      setChosenId(tools[((from + (key === 'ArrowDown' ? 1 : places - 1)) % places) - 1]?._id);
    } else if (key === 'Escape' && isShown) setIsOpen(false);
    else if (key === 'Enter' && option !== undefined) open(chosen);
    else {
      if (key === 'Enter') setIsOpen(false);
      setChosenId(undefined);
      return;
    }
    event.preventDefault();
  });

  const close = useEffectEvent(() => setIsOpen(false));

  useEffect(() => {
    const { current } = box;
    const stop = new AbortController();
    const { signal } = stop;
    current?.addEventListener('input', () => handleInput(), { signal });
    current?.addEventListener('keydown', (event) => handleKey(event), { signal });
    current?.addEventListener('blur', () => close(), { signal });
    current?.form?.addEventListener('reset', () => handleReset(), { signal });
    // Handle text that was typed while this script was loading.
    if (current && current.value !== current.defaultValue) handleInput();
    return () => stop.abort();
  }, [box]);

  useEffect(() => {
    onChange(isShown ? { id, option } : undefined);
    return () => onChange(undefined);
  }, [onChange, isShown, id, option]);

  useEffect(() => {
    if (option) document.getElementById(option)?.scrollIntoView({ block: 'nearest' });
  }, [option]);

  return (
    <>
      <link rel="stylesheet" href={useAllStyles()} precedence="default" />
      <p role="status" className="sr-only">
        {isShown &&
          `${tools.length === 1 ? '1 suggestion' : `${tools.length} suggestions`}, choose with the arrow keys`}
      </p>
      {isShown && (
        <div
          id={id}
          role="listbox"
          aria-label="Suggested tools"
          // A press must not take the focus from the box.
          onPointerDown={(event) => event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
          className="absolute inset-x-0 top-0 z-30 max-h-[60dvh] overflow-y-auto border border-edge bg-leaf"
        >
          {tools.map(({ _id, name, img, price, o_quantity, a_quantity }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the box handles the keys
            <div
              key={_id}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onClick={() => open(index)}
              className="flex min-h-16 cursor-pointer items-center gap-3 border-t border-rule px-3 py-2 -outline-offset-2 outline-blued first:border-t-0 hover:bg-paper aria-selected:bg-paper aria-selected:outline-2"
            >
              <img
                src={getThumbnailUrl(img)}
                alt=""
                width={64}
                height={48}
                className="lamplit block h-12 w-16 shrink-0 object-contain"
              />
              <span className="min-w-0 grow font-serif text-base leading-[1.25] wrap-anywhere">
                <Marked text={name} words={splitWords(q)} />
              </span>
              <span className="figures flex shrink-0 flex-col items-end text-sm">
                <span>{money.card(price)}</span>
                {a_quantity < o_quantity && <StatusBadge tone="wrong">Sold out</StatusBadge>}
              </span>
            </div>
          ))}
        </div>
      )}
    </>
  );
}

/** Searches a moment after the last key press. A newer text aborts the request; a failed one changes nothing. */
function useSearch(q: string): SearchResults {
  const [found, setFound] = useState<SearchResults>({ q: '', tools: [] });
  useEffect(() => {
    if (q.length < minLetters) return;
    const stop = new AbortController();
    const { signal } = stop;
    const query = { q, partial: 'true' as const, limit: maxTools };
    const search = async () => {
      const tools = await getSession().client.call('listProducts', { query, signal });
      if (!signal.aborted) setFound({ q, tools });
    };
    const timer = setTimeout(() => search().catch(() => undefined), typingPauseMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [q]);
  return found;
}
