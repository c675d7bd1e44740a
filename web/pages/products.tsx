import { useEffect, useRef } from 'react';
import {
  type LoaderFunctionArgs,
  redirect,
  useLoaderData,
  useNavigation,
  useSearchParams,
} from 'react-router';
import type { ProductFilters } from '../../contract/catalogue/product-list.ts';
import { orderPages, productsPage, purchasePages } from '../../contract/page-addresses.ts';
import { findOrders } from '../client/find-orders.ts';
import { readReturnPath, requireCatalogue } from '../client/route-access.ts';
import { loaderContext } from '../client/route-context.ts';
import { ProductCard } from '../components/catalogue/product-card.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { Notice } from '../components/feedback/notice.tsx';
import { useDelayed } from '../components/layout/layout.tsx';
import { Link } from '../components/link.tsx';
import { MoreLink } from '../components/more-link.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { AverageRating } from '../components/reviews/average-rating.tsx';
import { useAllStyles } from '../shop.tsx';
import { ActiveFilters } from './products/active-filters.tsx';
import { CatalogueForm } from './products/catalogue-form.tsx';
import { loadCatalogue } from './products/load-catalogue.ts';
import { Marked } from './products/marked.tsx';
import { NoMatches } from './products/no-matches.tsx';
import { linkTo } from './products/query.ts';
import { Unreachable, useLastResults } from './products/unreachable.tsx';
import { NewAccountNotice } from './sign-in/new-account-notice.tsx';

/** Redirects an admin's search for the number of an order to its page. */
export async function loader(args: LoaderFunctionArgs) {
  const viewer = requireCatalogue(args);
  const { client } = args.context.get(loaderContext);
  const q = new URL(args.request.url).searchParams.get('q') ?? '';
  const [order] = viewer?.role === 'admin' ? await findOrders(client, q) : [];
  if (order) throw redirect(`${orderPages}/${order.number}`);
  return loadCatalogue(args);
}

export function Component() {
  const current = useLoaderData<typeof loader>();
  const { query } = current;
  const { rows, after, filters, allCategories, words, isLaterPage } = useLastResults(current);
  const [search] = useSearchParams();
  const { state, location: next } = useNavigation();
  const isSearching = useDelayed(state === 'loading' && next.pathname === productsPage);
  const results = useRef<HTMLParagraphElement>(null);
  const isRemoving = useRef(false);
  const isPartial = filters.partial && rows.length > 0;
  const parameters = linkTo(query);
  // The link to remove a filter has disappeared with the filter.
  useEffect(() => {
    if (parameters && isRemoving.current && document.activeElement === document.body)
      results.current?.focus();
    isRemoving.current = false;
  }, [parameters]);

  // Where the visitor came from before signing up.
  const from = readReturnPath(search.get('from'), '');
  const requestedProduct = rows.find(({ _id }) => from.split('?')[0] === `${purchasePages}/${_id}`);
  return (
    <>
      <link rel="stylesheet" href={useAllStyles()} precedence="default" />
      <div className="-mt-4 grid grid-cols-2 gap-x-3 lg:grid-cols-[14rem_minmax(0,1fr)] lg:grid-rows-[auto_auto_auto_1fr] lg:gap-x-12">
        <div className="max-lg:col-span-2">
          <PageHeading
            title={query.q ? `“${query.q}” in Products` : query.category || 'Products'}
            description="Every tool of the catalogue: drawn, measured and priced."
            label="The catalogue"
          >
            Products
          </PageHeading>
        </div>
        <div className="col-span-2 lg:row-start-2">
          <NewAccountNotice />
          {from && (
            <Notice>
              Your account is ready.{' '}
              <Link to={from} className="link">
                {requestedProduct
                  ? `Continue to ${requestedProduct.name}`
                  : 'Continue to the page you requested'}
              </Link>
            </Notice>
          )}
        </div>
        <CatalogueForm query={query} categories={filters.categories} tools={rows}>
          <p
            ref={results}
            tabIndex={-1}
            role="status"
            className="figures flex min-h-13 shrink-0 items-center self-start outline-none"
          >
            {!isSearching && isPartial && <span className="sr-only">No exact match, </span>}
            {isSearching ? 'Searching…' : describeCount(filters)}
          </p>
          <ActiveFilters
            query={query}
            onFollow={() => {
              isRemoving.current = true;
            }}
          />
        </CatalogueForm>
        <section
          aria-label="Results"
          aria-busy={isSearching}
          className="min-w-0 aria-busy:opacity-50 max-lg:col-span-2 lg:col-start-2"
        >
          {current.problem && <Unreachable problem={current.problem} />}
          {isPartial && (
            <h2 className="my-4 text-xl wrap-anywhere">
              {`No exact match for “${query.q}”. The closest tools:`}
            </h2>
          )}
          {rows.length > 0 ? (
            <ul className="cards sm:grid-cols-2 xl:grid-cols-3">
              {rows.map((product, index) => (
                <ProductCard
                  key={product._id}
                  product={product}
                  figure={index + 1}
                  headingLevel={isPartial ? 'h3' : 'h2'}
                  // The first row of a phone; lazy loading fetches the other images in view after layout.
                  isMain={index < 2}
                  mark={(text) => <Marked text={text} words={words} />}
                >
                  {product.rating && <AverageRating rating={product.rating} />}
                </ProductCard>
              ))}
            </ul>
          ) : isLaterPage ? (
            <EmptyState title="No more tools">
              <Link to={parameters} className="link link-alone">
                Show the first tools
              </Link>
            </EmptyState>
          ) : parameters === '?' ? (
            <EmptyState title="The shelves are empty">No tool has been added yet. Come back soon.</EmptyState>
          ) : (
            <NoMatches query={query} words={filters.words} categories={allCategories} />
          )}
          <MoreLink after={after}>More products</MoreLink>
        </section>
      </div>
    </>
  );
}

function describeCount({ matches, atLeast, partial }: ProductFilters): string {
  if (atLeast) return `More than ${matches.toLocaleString('en')} tools`;
  const noun = matches === 1 ? 'tool' : 'tools';
  return partial && matches > 0 ? `${matches} similar ${noun}` : `${matches || 'No'} ${noun}`;
}
