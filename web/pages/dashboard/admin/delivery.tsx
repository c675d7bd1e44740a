import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import { listCountries } from '../../../../contract/delivery/countries.ts';
import { isDeliverySetUp } from '../../../../contract/delivery/rates.ts';
import { deliveryPage } from '../../../../contract/page-addresses.ts';
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
  return { viewer, shipping: await client.call('getShipping', {}), countries: listCountries() };
}

export function Component() {
  const { viewer, shipping, countries } = useLoaderData<typeof loader>();
  const { chargedCurrency } = useSettings();
  const [search] = useSearchParams();
  const isPosted = useRejectedForm(shippingForm.name) !== undefined;
  const isSetUp = isDeliverySetUp(shipping);
  return (
    <>
      <PageHeading title="Delivery" description="Where you deliver, and what customers pay for it." />
      {search.get('done') === shippingForm.name && !isPosted && <Notice done>Delivery saved.</Notice>}
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
