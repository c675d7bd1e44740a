import { productsPage } from '../../../contract/page-addresses.ts';
import { Link } from '../link.tsx';
import { toCategoryPath } from './category-path.ts';

/** A page's path in the catalogue, from the top down. The last entry is the page itself, without a link. */
type Breadcrumb = { name: string; to?: string };

/** The catalogue, a product's category and the product. */
export const listBreadcrumbs = ({
  name,
  category,
}: {
  name: string;
  category?: string | undefined;
}): Breadcrumb[] => [
  { name: 'Products', to: productsPage },
  ...(category ? [{ name: category, to: toCategoryPath(category) }] : []),
  { name },
];

/** On phones the page itself is left out: its heading follows directly. */
export function Breadcrumbs({ items }: { items: Breadcrumb[] }) {
  return (
    <nav aria-label="Breadcrumbs" className="mb-6">
      <ol className="flex flex-wrap items-center gap-x-2 text-sm">
        {items.map(({ name, to }, index) => (
          <li key={to ?? ''} className={`flex min-w-0 items-center gap-x-2 ${to ? '' : 'max-sm:hidden'}`}>
            {index > 0 && (
              <span aria-hidden="true" className="text-brass">
                ›
              </span>
            )}
            {to ? (
              <Link to={to} className="link link-alone">
                {name}
              </Link>
            ) : (
              <span aria-current="page" className="truncate text-soft">
                {name}
              </span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
