import type { ComponentProps } from 'react';
import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { formatQuantity } from '../../contract/admin/health-format.ts';
import { isCountry, nameCountry } from '../../contract/delivery/countries.ts';
import type { DeliveryEstimate } from '../../contract/delivery/quotes.ts';
import type { Viewer } from '../../contract/pages.ts';
import { productPagePaths } from '../../contract/paths.ts';
import { addPaths, type Client } from '../client/api/client.ts';
import { createFormKey } from '../client/api/idempotency.ts';
import { type Delivery, loadDelivery } from '../client/last-delivery.ts';
import { requireCatalogue } from '../client/route-access.ts';
import { loaderContext } from '../client/route-context.ts';
import { Breadcrumbs, listBreadcrumbs } from '../components/catalogue/breadcrumbs.tsx';
import { truncate } from '../components/catalogue/excerpt.ts';
import type { DeliveryChoice } from '../components/delivery/delivery-country.tsx';
import { listDestinations } from '../components/delivery/destinations.ts';
import { Notice } from '../components/feedback/notice.tsx';
import { Icon } from '../components/layout/icon.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { AverageStars } from '../components/reviews/average-rating.tsx';
import { loadProductReviews } from '../components/reviews/load-reviews.ts';
import { ProductReviews } from '../components/reviews/product-reviews.tsx';
import { useRejectedForm } from '../forms/use-rejected-form.ts';
import { useAllStyles, useSettings } from '../shop.tsx';
import { AddForm } from './purchase/add-form.tsx';
import { OrderForm } from './purchase/order-form.tsx';
import { ProductView } from './purchase/product-view.tsx';
import { useQuantity } from './purchase/quantity.ts';
import { RelatedTools, toRelatedTool } from './purchase/related-tools.tsx';
import { redirectToSignIn, VisitorForm } from './purchase/visitor-form.tsx';
import { WaitForm } from './purchase/wait-form.tsx';

addPaths(productPagePaths);

export async function loader(args: LoaderFunctionArgs) {
  const viewer = requireCatalogue(args);
  if (!viewer) redirectToSignIn(args.request);
  const { client } = args.context.get(loaderContext);
  const id = args.params.productId ?? '';
  const country = new URL(args.request.url).searchParams.get('country')?.toUpperCase() ?? '';
  const query = isCountry(country) ? { country } : {};
  const [product, { boughtTogether, related }, reviews, delivery] = await Promise.all([
    client.call('getProduct', { params: { id }, query }),
    client.call('listRelatedProducts', { params: { id } }),
    loadProductReviews(client, id, args.request),
    viewer ? loadDelivery(client, viewer) : {},
  ]);
  const estimate = product.delivery;
  return {
    product,
    reviews,
    deliveryChoice: estimate && (await loadDeliveryChoice(client, estimate)),
    boughtTogether: boughtTogether.map(toRelatedTool),
    related: related.map(toRelatedTool),
    // A visitor's page has no key, so that it stays the same until the product changes.
    order: viewer && { viewer, delivery, formKey: createFormKey() },
  };
}

async function loadDeliveryChoice(client: Client, estimate: DeliveryEstimate): Promise<DeliveryChoice> {
  const { zones } = await client.call('getShipping', {});
  const { country } = estimate;
  const [served] = listDestinations(zones);
  const countries = country in served ? served : { [country]: nameCountry(country), ...served };
  return { estimate, countries };
}

export function Component() {
  const { product, boughtTogether, related, reviews, order, deliveryChoice } = useLoaderData<typeof loader>();
  const { sendsMail } = useSettings();
  const { name, description, category, rating } = product;
  // The error is shown here and not in the form, because the form is gone if the tool is back in stock by now.
  const rejectedWait = useRejectedForm('wait');
  const view = {
    product,
    heading: (
      <>
        <PageHeading title={name} description={truncate(description, 149)} />
        {rating && (
          <p className="figures -mt-6 mb-4 flex flex-wrap items-center gap-x-3">
            <AverageStars average={rating.average} />
            <a href="#reviews" className="link link-alone text-sm">
              {`${rating.average.toFixed(1)} of 5 from ${formatQuantity(rating.count, 'review')}`}
            </a>
          </p>
        )}
      </>
    ),
    deliveryChoice,
    waitForm: sendsMail && <WaitForm key={product._id} product={product} viewer={order?.viewer} />,
  };
  return (
    <>
      <link rel="stylesheet" href={useAllStyles()} precedence="default" />
      <div className="max-sm:-mt-8 max-sm:-mb-2 lg:-mt-4">
        <Breadcrumbs items={listBreadcrumbs(product)} />
      </div>
      {rejectedWait?.root && (
        <Notice error noFocus>
          {rejectedWait.root}
        </Notice>
      )}
      {order ? (
        <SaleView {...view} {...order} key={product._id} />
      ) : (
        <ProductView {...view} addForm={<VisitorForm key={product._id} product={product} />} />
      )}
      <ProductReviews
        key={`reviews ${product._id}`}
        product={product}
        initial={reviews}
        viewer={order?.viewer}
      />
      <RelatedTools label="From the workbench" title="Often bought together" tools={boughtTogether} />
      <RelatedTools label="The same drawer" title={`More in ${category}`} tools={related} />
    </>
  );
}

/** A product that a user can order: both forms share the quantity. */
function SaleView({
  viewer,
  delivery,
  formKey,
  ...view
}: Omit<ComponentProps<typeof ProductView>, 'addForm' | 'orderForm'> & {
  viewer: Viewer;
  delivery: Delivery;
  formKey: string;
}) {
  const { product } = view;
  const form = { product, viewer, formKey, quantity: useQuantity(product) };
  return (
    <ProductView
      {...view}
      addForm={<AddForm {...form} />}
      orderForm={
        <details open className="group border-t-2 border-edge">
          <summary className="flex min-h-12 list-none items-center justify-between [&::-webkit-details-marker]:hidden">
            <h2 className="text-xl">Order form</h2>
            <Icon name="unfold" className="text-base text-blued group-open:rotate-180" />
          </summary>
          <OrderForm {...form} delivery={delivery} />
        </details>
      }
    />
  );
}
