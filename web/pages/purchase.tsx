import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { createFormKey } from '../client/idempotency.ts';
import { requireViewer } from '../client/route-access.ts';
import { loaderContext } from '../client/route-context.ts';
import { ButtonLink } from '../components/button.tsx';
import { ProductImage } from '../components/catalogue/product-image.tsx';
import { Icon } from '../components/layout/icon.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { useMoney } from '../shop.tsx';
import { OrderForm } from './purchase/order-form.tsx';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = requireViewer(args);
  const { client } = args.context.get(loaderContext);
  const product = await client.call('getProduct', { params: { id: args.params.productId ?? '' } });
  return { viewer, product, formKey: createFormKey() };
}

export function Component() {
  const { viewer, product, formKey } = useLoaderData<typeof loader>();
  const money = useMoney();
  const { name, img, description, price, o_quantity, a_quantity } = product;
  const soldOut = a_quantity < o_quantity;
  return (
    // On phones the columns dissolve (`contents`), and `order-*` puts their parts into reading order.
    <div className="flex flex-col lg:grid lg:grid-cols-[minmax(0,1fr)_26rem] lg:gap-x-12">
      <div className="contents lg:col-start-2 lg:row-start-1 lg:block">
        <div>
          <PageHeading title={name} description={description.slice(0, 150)} label="From the catalogue" />
        </div>
        <div className="order-3">
          <dl className="plate figures mb-8 grid-cols-[1.3fr_1fr_1fr] bg-leaf text-sm">
            <Fact term="Price">{money.charged(price)}</Fact>
            <Fact term="Minimum">{String(o_quantity)}</Fact>
            <Fact term="In stock">{String(a_quantity)}</Fact>
          </dl>
          {soldOut ? (
            <div className="border-t-2 border-edge pt-4">
              <p className="mb-1 text-lg">
                <StatusBadge tone="wrong">Sold out</StatusBadge>
              </p>
              <p className="mb-6 text-soft">Less than the minimum order is left.</p>
              <ButtonLink to="/products" kind="plain">
                All products
              </ButtonLink>
            </div>
          ) : (
            <details open className="group border-t-2 border-edge">
              <summary className="flex min-h-12 list-none items-center [&::-webkit-details-marker]:hidden justify-between font-serif text-xl">
                Order form
                <Icon name="unfold" className="text-base text-blued group-open:rotate-180" />
              </summary>
              <OrderForm key={product._id} product={product} viewer={viewer} formKey={formKey} />
            </details>
          )}
        </div>
      </div>
      <div className="contents lg:col-start-1 lg:row-start-1 lg:block">
        <div className="order-1 mb-8 border border-rule bg-leaf">
          <ProductImage img={img} alt={name} sizes="(width < 64rem) 100vw, 46rem" eager />
        </div>
        <p className="order-2 mb-8 max-w-text whitespace-pre-line">{description}</p>
      </div>
    </div>
  );
}

function Fact({ term, children }: { term: string; children: string }) {
  return (
    <div className="px-3 py-3 sm:px-4">
      <dt className="text-soft">{term}</dt>
      <dd className="font-serif text-lg">{children}</dd>
    </div>
  );
}
