import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import { createFormKey } from '../../client/idempotency.ts';
import { requireAdmin } from '../../client/route-access.ts';
import { Notice } from '../../components/feedback/notice.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { Link } from '../../components/link.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { useRejectedForm } from '../../forms/use-shop-form.ts';
import { productAdded } from './add-product/product.ts';
import { type AddedProduct, ProductForm } from './add-product/product-form.tsx';

export async function loader(args: LoaderFunctionArgs) {
  return { viewer: await requireAdmin(args), formKey: createFormKey() };
}

export function Component() {
  const { viewer, formKey } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const rejected = useRejectedForm('product');
  const [key] = useState(rejected?.values.key || formKey);
  const [added, setAdded] = useState<AddedProduct>();
  return (
    <>
      <PageHeading title="Add Product" description="Add a tool to the catalogue." />
      {!added && search.get('done') === 'product' && (
        <Notice done>{productAdded} The form is ready for the next one.</Notice>
      )}
      {added && (
        <Notice done>
          <Link to={`/purchase/${added.id}`} className="link">
            {added.name}
          </Link>{' '}
          is in the catalogue. The form is ready for the next one.
        </Notice>
      )}
      {added?.soldOut && (
        <Notice>
          <Icon name="wrong" className="mr-2 text-ruby" />
          It shows as sold out until its stock reaches its order quantity.
        </Notice>
      )}
      <ProductForm
        key={added?.id}
        viewer={viewer}
        formKey={added ? `${key}-${added.id}` : key}
        rejected={added ? undefined : rejected}
        onAdded={(product) => {
          setAdded(product);
          document.querySelector('h1')?.focus();
        }}
      />
    </>
  );
}
