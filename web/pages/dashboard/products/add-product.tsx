import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import { purchasePages } from '../../../../contract/page-addresses.ts';
import { createFormKey } from '../../../client/api/idempotency.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { Notice } from '../../../components/feedback/notice.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { Link } from '../../../components/link.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useRejectedForm } from '../../../forms/use-rejected-form.ts';
import { type AddedProduct, AddForm } from './product/add-form.tsx';

const productAdded = 'Product Added Successfully!';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = await requireAdmin(args);
  const { categories } = await args.context.get(loaderContext).client.call('listCategories', {});
  return { viewer, categories, formKey: createFormKey() };
}

export function Component() {
  const { viewer, categories, formKey } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const rejected = useRejectedForm('product');
  const [key] = useState(rejected?.values.key || formKey);
  const [added, setAdded] = useState<AddedProduct>();
  const toast = useToast();
  return (
    <>
      <PageHeading title="Add Product" description="Add a tool to the catalogue." />
      {!added && search.get('done') === 'product' && (
        <Notice done>{productAdded} The form is ready for the next one.</Notice>
      )}
      {added && (
        <Notice done>
          <Link to={`${purchasePages}/${added.id}`} className="link">
            {added.name}
          </Link>{' '}
          is in the catalogue. The form is ready for the next one.
        </Notice>
      )}
      {added?.isSoldOut && (
        <Notice>
          <Icon name="wrong" className="mr-2 text-ruby" />
          It shows as sold out until its stock reaches its order quantity.
        </Notice>
      )}
      <AddForm
        key={added?.id}
        viewer={viewer}
        categories={categories}
        formKey={added ? `${key}-${added.id}` : key}
        rejected={added ? undefined : rejected}
        onAdded={(product) => {
          toast(productAdded);
          setAdded(product);
          document.querySelector('h1')?.focus();
        }}
      />
    </>
  );
}
