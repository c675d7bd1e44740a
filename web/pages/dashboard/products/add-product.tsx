import { useState } from 'react';
import { useController } from 'react-hook-form';
import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import { z } from 'zod';
import { newProduct } from '../../../../contract/catalogue/products.ts';
import { parseAmount, parsePieces } from '../../../../contract/fields.ts';
import type { Viewer } from '../../../../contract/pages.ts';
import { createFormKey, getIdempotencyKey } from '../../../client/api/idempotency.ts';
import { getImageUrl, imageFile } from '../../../client/image-upload.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { getSession } from '../../../client/session.ts';
import { Notice } from '../../../components/feedback/notice.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { Link } from '../../../components/link.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { Field, TextArea } from '../../../forms/fields/field.tsx';
import { validateWith } from '../../../forms/form-validation.ts';
import type { RejectedForm, ShopForm } from '../../../forms/shop-form.ts';
import { useRejectedForm, useShopForm } from '../../../forms/use-shop-form.ts';
import { useSettings } from '../../../shop.tsx';
import { ImageForm } from './image-form.tsx';
import { isSoldOut } from './manage-products/query.ts';
import { CatalogueFields } from './product/catalogue-fields.tsx';

const schema = newProduct.extend({
  lowStock: z.preprocess((input) => (input === '' ? undefined : input), newProduct.shape.lowStock),
  img: imageFile,
});
type ProductValues = z.infer<typeof schema>;

const productAdded = 'Product Added Successfully!';

export const createProductForm = (formKey: string): ShopForm<ProductValues, { insertedId: string }> => ({
  name: 'product',
  fields: [
    ...['name', 'email', 'price', 'o_quantity', 'a_quantity', 'category', 'lowStock'],
    ...['description', 'img'],
  ],
  parse: { price: parseAmount, o_quantity: parsePieces, a_quantity: parsePieces, lowStock: parsePieces },
  validate: validateWith(schema),
  send({ client }, values) {
    const body = { ...values, img: getImageUrl(values.img) };
    return client.call('addProduct', { body, idempotencyKey: getIdempotencyKey(formKey, body) });
  },
  redirectTo: '/dashboard/addProduct',
  doneCode: 'product',
});

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
        categories={categories}
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

type AddedProduct = { id: string; name: string; soldOut: boolean };

/** Until it is valid, a field contains whatever `parsePieces` returned. */
const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0;

type Props = {
  viewer: Viewer;
  categories: string[];
  formKey: string;
  rejected: RejectedForm | undefined;
  onAdded: (added: AddedProduct) => void;
};

function ProductForm({ viewer, categories, formKey, rejected, onAdded }: Props) {
  const definition = createProductForm(formKey);
  const form = useShopForm(definition, rejected);
  const [minimum, available] = form.watch(['o_quantity', 'a_quantity']);
  const { chargedCurrency } = useSettings();
  const stored = rejected?.values.img;
  const img = useController({
    control: form.control,
    name: 'img',
    ...(stored ? { defaultValue: stored } : {}),
  });
  const toast = useToast();

  return (
    <ImageForm
      form={form}
      formKey={formKey}
      img={img}
      rejected={rejected}
      viewer={viewer}
      submitLabel="Add Product"
      failureToast="Failed to add the Product"
      save={async (values) => {
        const { insertedId } = await definition.send(getSession(), values);
        toast(productAdded);
        onAdded({ id: insertedId, name: values.name, soldOut: isSoldOut(values) });
      }}
    >
      <Field label="Name" maxLength={100} autoComplete="off" {...form.field('name')} />
      <Field label="Email" type="email" autoComplete="email" {...form.field('email', viewer.email)} />
      <div className="field-row sm:grid-cols-3">
        <Field
          label="Price"
          hint={`Per piece, in ${chargedCurrency}.`}
          inputMode="decimal"
          autoComplete="off"
          {...form.field('price')}
        />
        <Field
          label="Order quantity"
          hint="Minimum per order."
          inputMode="numeric"
          autoComplete="off"
          {...form.field('o_quantity')}
        />
        <Field
          label="Available quantity"
          hint="Quantity in stock."
          inputMode="numeric"
          autoComplete="off"
          {...form.field('a_quantity')}
        />
      </div>
      <CatalogueFields
        categories={categories}
        category={form.field('category')}
        lowStock={form.field('lowStock')}
      />
      <div role="status">
        {isCount(minimum) && isCount(available) && available < minimum && (
          <p className="-mt-3 mb-6 text-sm text-brass">
            <Icon name="open" className="mr-2" />
            {`Sold out from the start: customers must order at least ${minimum}, but only ${available} ${available === 1 ? 'is' : 'are'} available.`}
          </p>
        )}
      </div>
      <TextArea
        label="Description"
        hint="Cards show its first 100 characters. 2,000 at most."
        rows={7}
        maxLength={2000}
        {...form.field('description')}
      />
    </ImageForm>
  );
}
