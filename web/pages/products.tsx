import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import { readReturnPath, requireViewer } from '../client/route-access.ts';
import { loaderContext } from '../client/route-context.ts';
import { ProductCard } from '../components/catalogue/product-card.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { Notice } from '../components/feedback/notice.tsx';
import { Link } from '../components/link.tsx';
import { MoreLink } from '../components/more-link.tsx';
import { PageHeading } from '../components/page-heading.tsx';

/** Large enough to show a typical catalogue on one page. */
const pageSize = 120;

export async function loader(args: LoaderFunctionArgs) {
  requireViewer(args);
  const after = new URL(args.request.url).searchParams.get('after') ?? undefined;
  const { client } = args.context.get(loaderContext);
  const query = { limit: pageSize, ...(after ? { after } : {}) };
  const { rows, ...list } = await client.list('listProducts', { query });
  // Loader data becomes part of the HTML, so include only the image that the page shows.
  return { ...list, rows: rows.map(({ images, ...shown }) => shown) };
}

export function Component() {
  const { rows, after } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  // Where the visitor came from before signing up.
  const from = readReturnPath(search, '');
  const requestedProduct = rows.find(({ _id }) => from.split('?')[0] === `/purchase/${_id}`);
  return (
    <>
      <PageHeading
        title="Products"
        description="Every tool of the catalogue: drawn, measured and priced."
        label="The catalogue"
      />
      {from && (
        <Notice>
          Your account is ready.{' '}
          <Link to={from} className="link">
            {requestedProduct ? `Continue to ${requestedProduct.name}` : 'Continue to the page you requested'}
          </Link>
        </Notice>
      )}
      {rows.length === 0 ? (
        <EmptyState title="The shelves are empty">No tool has been added yet. Come back soon.</EmptyState>
      ) : (
        <ul className="plate sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
          {rows.map((product, index) => (
            <ProductCard
              key={product._id}
              product={product}
              figure={index + 1}
              headingLevel="h2"
              // The only image in view on a phone; lazy loading fetches the others in view after layout.
              eager={index === 0}
            />
          ))}
        </ul>
      )}
      <MoreLink after={after}>More products</MoreLink>
    </>
  );
}
