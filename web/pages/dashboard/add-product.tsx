import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { requireAdmin } from '../../access.ts';
import { Link } from '../../components/link.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { type AddedProduct, ProductForm } from './add-product/product-form.tsx';

export function loader(args: LoaderFunctionArgs) {
  return requireAdmin(args);
}

export function Component() {
  const viewer = useLoaderData<typeof loader>();
  const [added, setAdded] = useState<AddedProduct>();
  return (
    <>
      <PageHeading title="Add Product" description="Put another tool into the catalogue." />
      {added && (
        <Notice>
          <Link to={`/purchase/${added.id}`} className="link">
            {added.name}
          </Link>{' '}
          is in the catalogue. The form is ready for the next one.
          {added.soldOut && (
            <span className="mt-1 block font-medium">
              It shows as sold out until its stock reaches its order quantity.
            </span>
          )}
        </Notice>
      )}
      <ProductForm
        key={added?.id}
        viewer={viewer}
        onAdded={(product) => {
          setAdded(product);
          document.querySelector('h1')?.focus();
        }}
      />
    </>
  );
}
