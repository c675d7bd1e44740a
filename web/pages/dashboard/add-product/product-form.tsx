import { useController } from 'react-hook-form';
import type { Viewer } from '../../../../contract/pages.ts';
import { getSession } from '../../../client/session.ts';
import { useToast } from '../../../components/feedback/toast.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { Field, TextArea } from '../../../forms/field.tsx';
import type { RejectedForm } from '../../../forms/shop-form.ts';
import { useShopForm } from '../../../forms/use-shop-form.ts';
import { useSettings } from '../../../shop.tsx';
import { ImageForm } from '../image-form.tsx';
import { productAdded, productForm } from './product.ts';

export type AddedProduct = { id: string; name: string; soldOut: boolean };

/** Until it is valid, a field contains whatever `parseNumber` returned. */
const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0;

type Props = {
  viewer: Viewer;
  formKey: string;
  rejected: RejectedForm | undefined;
  onAdded: (added: AddedProduct) => void;
};

export function ProductForm({ viewer, formKey, rejected, onAdded }: Props) {
  const definition = productForm(formKey);
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
        const soldOut = values.a_quantity < values.o_quantity;
        onAdded({ id: insertedId, name: values.name, soldOut });
      }}
    >
      <Field label="Name" maxLength={100} autoComplete="off" {...form.field('name')} />
      <Field label="Email" type="email" autoComplete="email" {...form.field('email', viewer.email)} />
      <div className="grid gap-x-6 sm:grid-cols-3">
        <Field
          label="Price"
          hint={`Per piece, in ${chargedCurrency}`}
          inputMode="decimal"
          autoComplete="off"
          {...form.field('price')}
        />
        <Field
          label="Order quantity"
          hint="Minimum per order"
          inputMode="numeric"
          autoComplete="off"
          {...form.field('o_quantity')}
        />
        <Field
          label="Available quantity"
          hint="Quantity in stock"
          inputMode="numeric"
          autoComplete="off"
          {...form.field('a_quantity')}
        />
      </div>
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
