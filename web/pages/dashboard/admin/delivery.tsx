import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import { formatCount } from '../../../../contract/admin/health-format.ts';
import type { ProductFilters } from '../../../../contract/catalogue/product-list.ts';
import { listCountries } from '../../../../contract/delivery/countries.ts';
import { isDeliverySetUp, isPricedIn } from '../../../../contract/delivery/rates.ts';
import { deliveryPage, manageProductsPage } from '../../../../contract/page-addresses.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Link } from '../../../components/link.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useRejectedForm } from '../../../forms/use-rejected-form.ts';
import { useSettings } from '../../../shop.tsx';
import { DeliveryForm } from './delivery/delivery-form.tsx';
import { shippingForm } from './delivery/shipping-form.ts';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = await requireAdmin(args);
  const { client } = args.context.get(loaderContext);
  const shipping = await client.call('getShipping', {});
  const isByWeight = shipping.zones.some(({ rates }) => rates.some(({ by }) => by === 'weight'));
  return {
    viewer,
    shipping,
    countries: listCountries(),
    weightless: isByWeight
      ? await client.call('getProductFilters', { query: { weight: 'none' } })
      : { matches: 0 },
  };
}

export function Component() {
  const { viewer, shipping, countries, weightless } = useLoaderData<typeof loader>();
  const { chargedCurrency } = useSettings();
  const [search] = useSearchParams();
  const isPosted = useRejectedForm(shippingForm.name) !== undefined;
  const isSetUp = isDeliverySetUp(shipping);
  return (
    <>
      <PageHeading title="Delivery" description="Where you deliver, and what customers pay for it." />
      {search.get('done') === shippingForm.name && !isPosted && <Notice done>Delivery saved.</Notice>}
      {isSetUp && !isPricedIn(shipping, chargedCurrency) && (
        <Notice error noFocus>
          {`These rates are in ${shipping.currency}, but the shop now charges ${chargedCurrency}. Customers cannot choose a delivery rate, and so cannot pay, until you have entered all prices again and saved them.`}
        </Notice>
      )}
      {weightless.matches > 0 && (
        <Notice>
          {`Some rates depend on the weight, but products without a weight count as 0 g. `}
          <Link to={`${manageProductsPage}?weightless`} className="link">
            {describeWeightless(weightless)}
          </Link>
        </Notice>
      )}
      <p className="mb-8 max-w-text text-soft">
        {isSetUp
          ? 'Customers choose one of these rates before they pay. Changes apply at once, but not to orders whose delivery has already been chosen. '
          : 'Customers are not charged for delivery, and they choose nothing. Once you save a rate, they choose how their order is sent and pay for it.'}
        {isSetUp && (
          <Link to={deliveryPage} className="link">
            See the page of delivery costs
          </Link>
        )}
      </p>
      <DeliveryForm
        key={viewer._id}
        viewer={viewer}
        shipping={shipping}
        countries={countries}
        currency={chargedCurrency}
      />
    </>
  );
}

/** Such as "Show the products without a weight: more than 100". */
function describeWeightless({ matches, atLeast }: Pick<ProductFilters, 'matches' | 'atLeast'>): string {
  if (matches === 1 && !atLeast) return 'Show the product without a weight';
  return `Show the products without a weight: ${atLeast ? 'more than ' : ''}${formatCount(matches)}`;
}
