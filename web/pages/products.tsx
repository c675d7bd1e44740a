import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { requireViewer } from '../access.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { MoreLink } from '../components/more-link.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { ProductCard } from '../components/product-card.tsx';
import { visit } from '../visit.ts';

/** In rows of three; a catalogue that a person looks through stands on one page. */
const pageSize = 120;

export async function loader(args: LoaderFunctionArgs) {
  requireViewer(args);
  const after = new URL(args.request.url).searchParams.get('after') ?? undefined;
  return args.context
    .get(visit)
    .client.list('listProducts', { query: { limit: pageSize, ...(after ? { after } : {}) } });
}

export function Component() {
  const { rows, after } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeading
        title="Products"
        description="Every tool of the catalogue: drawn, measured and priced."
        label="The catalogue"
      />
      {rows.length === 0 ? (
        <EmptyState title="The shelves are empty">No tool has been added yet. Come back soon.</EmptyState>
      ) : (
        <ul className="plate sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
          {rows.map((product, index) => (
            <ProductCard
              key={product._id}
              product={product}
              figure={index + 1}
              heading="h2"
              // All that a phone shows; others in view are asked for as soon as they are laid out.
              eager={index === 0}
            />
          ))}
        </ul>
      )}
      <MoreLink after={after}>More products</MoreLink>
    </>
  );
}
