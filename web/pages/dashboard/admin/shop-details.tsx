import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { PageHeading } from '../../../components/page-heading.tsx';
import { DetailsForm } from './shop-details/details-form.tsx';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = await requireAdmin(args);
  const { client } = args.context.get(loaderContext);
  return { viewer, details: await client.call('getShopDetails', {}) };
}

export function Component() {
  const { viewer, details } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeading
        title="Shop Details"
        description="The seller’s name, address and tax number, the promises to customers, and the words that the search knows."
      />
      <p className="mb-8 max-w-text text-soft">
        Packing slips and invoices show the name, address and tax number as the seller’s; slips leave out the
        tax number. Once you have entered an address or a tax number, the footer of every page shows the
        seller, too. Changes apply to pages at once, and to everything printed from now on, including invoices
        for earlier orders.
      </p>
      <DetailsForm key={viewer._id} viewer={viewer} details={details} />
    </>
  );
}
