import { Link } from '../../components/link.tsx';
import { useMoney } from '../../shop.tsx';
import { type CatalogueQuery, linkTo } from './query.ts';

/** The labels of the active filters, each with the query that remains without it. */
function useActiveFilters(query: CatalogueQuery): { label: string; without: CatalogueQuery }[] {
  const money = useMoney();
  const { q, category, inStock, minPrice, maxPrice } = query;
  return [
    ...(q ? [{ label: `“${q}”`, without: { ...query, q: '' } }] : []),
    ...(category ? [{ label: category, without: { ...query, category: '' } }] : []),
    ...(inStock ? [{ label: 'In stock', without: { ...query, inStock: '' as const } }] : []),
    ...(minPrice
      ? [{ label: `From ${money.card(Number(minPrice))}`, without: { ...query, minPrice: '' } }]
      : []),
    ...(maxPrice
      ? [{ label: `Up to ${money.card(Number(maxPrice))}`, without: { ...query, maxPrice: '' } }]
      : []),
  ];
}

/** A link to remove each filter. `onFollow` is called when one is followed. */
export function ActiveFilters({ query, onFollow }: { query: CatalogueQuery; onFollow: () => void }) {
  const filters = useActiveFilters(query);
  // An empty row keeps its height, so that the first filter moves nothing.
  return (
    <ul
      aria-label="Active filters"
      onClickCapture={onFollow}
      className="flex min-h-13 min-w-0 grow basis-32 flex-wrap items-center gap-2 p-1"
    >
      {filters.map(({ label, without }) => (
        <li key={label} className="max-w-full shrink-0">
          <Link to={linkTo(without)} preventScrollReset className={removal}>
            <span className="sr-only">Remove</span>
            <span className="max-w-48 min-w-0 truncate">{label}</span>
            <svg
              viewBox="0 0 12 12"
              className="size-3 shrink-0 stroke-current"
              strokeWidth="1.5"
              aria-hidden="true"
            >
              <path d="M2 2l8 8M10 2l-8 8" />
            </svg>
          </Link>
        </li>
      ))}
      {filters.length > 1 && (
        <li className="shrink-0">
          <Link to="?" preventScrollReset className="link link-alone text-sm">
            Clear all
          </Link>
        </li>
      )}
    </ul>
  );
}

const removal =
  'flex min-h-11 max-w-full items-center gap-2 border border-edge bg-leaf px-3 text-sm text-blued no-underline hover:border-blued';
