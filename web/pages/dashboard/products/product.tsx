import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import {
  managedProductPages,
  manageProductsPage,
  purchasePages,
} from '../../../../contract/page-addresses.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { Notice } from '../../../components/feedback/notice.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { Link } from '../../../components/link.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { useRejectedForm } from '../../../forms/use-rejected-form.ts';
import { ArchiveForm } from './product/archive-form.tsx';
import { EditForm } from './product/edit-form.tsx';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = await requireAdmin(args);
  const { client } = args.context.get(loaderContext);
  const [product, { categories }] = await Promise.all([
    client.call('getProduct', { params: { id: args.params.id ?? '' } }),
    client.call('listCategories', {}),
  ]);
  return { viewer, product, categories };
}

const productSaved = 'Changes saved.';

/** The confirmations of plain posts, by `?done=` code. */
const doneMessages: Record<string, string> = {
  saved: productSaved,
  archived: 'Product archived.',
  restored: 'The product is back in the shop.',
};

export function Component() {
  const { viewer, product, categories } = useLoaderData<typeof loader>();
  const { _id, name, a_quantity, archived } = product;
  const rejected = useRejectedForm('product');
  const [search] = useSearchParams();
  const [isSaved, setIsSaved] = useState(false);
  const toast = useToast();
  const done = doneMessages[search.get('done') ?? ''];

  function showSaved(): void {
    toast(productSaved);
    setIsSaved(true);
    document.querySelector('h1')?.focus();
  }

  return (
    <>
      <PageHeading title={`Edit ${name}`} description="Change, archive or restore this product.">
        {name}
      </PageHeading>
      {done && !isSaved && !rejected && <Notice done>{done}</Notice>}
      <p className="-mt-3 mb-8 flex flex-wrap items-baseline gap-x-6 gap-y-2">
        {archived && <StatusBadge tone="open">Archived</StatusBadge>}
        <Link to={`${managedProductPages}/${_id}/stock`} className="figures link link-alone">
          {`${a_quantity} in stock`}
        </Link>
        <Link to={`${purchasePages}/${_id}`} className="link link-alone">
          View as customer
        </Link>
        <Link to={`${manageProductsPage}${archived ? '?archived' : ''}`} className="link link-alone">
          Manage Products
        </Link>
      </p>
      <EditForm
        key={_id}
        product={product}
        categories={categories}
        viewer={viewer}
        rejected={rejected}
        onSaved={showSaved}
      />
      <ArchiveForm key={String(archived)} product={product} viewer={viewer} />
    </>
  );
}
