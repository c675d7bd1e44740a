import { useController } from 'react-hook-form';
import type { Viewer } from '../../../../contract/pages.ts';
import { Field, TextArea } from '../../../forms/field.tsx';
import { Sign } from '../../../components/layout/sign.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { session } from '../../../client/session.ts';
import { useSettings } from '../../../shop.tsx';
import type { Refused } from '../../../forms/shop-form.ts';
import { useShopForm } from '../../../forms/use-shop-form.ts';
import { PictureForm } from '../picture-form.tsx';
import { productAdded, productForm } from './product.ts';

export type AddedProduct = { id: string; name: string; soldOut: boolean };

/** Until it is valid, a field holds whatever `readNumber` returned. */
const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0;

type Props = {
  viewer: Viewer;
  formKey: string;
  refused: Refused | undefined;
  onAdded: (added: AddedProduct) => void;
};

/** A new product. */
export function ProductForm({ viewer, formKey, refused, onAdded }: Props) {
  const definition = productForm(formKey);
  const form = useShopForm(definition, refused);
  const [least, available] = form.watch(['o_quantity', 'a_quantity']);
  const { chargedCurrency } = useSettings();
  const stored = refused?.values.img;
  const img = useController({
    control: form.control,
    name: 'img',
    ...(stored ? { defaultValue: stored } : {}),
  });
  const toast = useToast();

  return (
    <PictureForm
      form={form}
      formKey={formKey}
      img={img}
      refused={refused}
      viewer={viewer}
      act="Add Product"
      failed="Failed to add the Product"
      save={async (filled) => {
        const { insertedId } = await definition.send(session(), filled);
        toast(productAdded);
        const soldOut = filled.a_quantity < filled.o_quantity;
        onAdded({ id: insertedId, name: filled.name, soldOut });
      }}
    >
      <Field label="Name" maxLength={100} autoComplete="off" {...form.field('name')} />
      <Field label="Email" type="email" autoComplete="email" {...form.field('email', viewer.email)} />
      <div className="grid gap-x-6 sm:grid-cols-3">
        <Field
          label="Price"
          hint={`Of one piece, in ${chargedCurrency}`}
          inputMode="decimal"
          autoComplete="off"
          {...form.field('price')}
        />
        <Field
          label="Order quantity"
          hint="The fewest in an order"
          inputMode="numeric"
          autoComplete="off"
          {...form.field('o_quantity')}
        />
        <Field
          label="Available quantity"
          hint="How many are there"
          inputMode="numeric"
          autoComplete="off"
          {...form.field('a_quantity')}
        />
      </div>
      <div role="status">
        {isCount(least) && isCount(available) && available < least && (
          <p className="-mt-3 mb-6 text-sm text-brass">
            <Sign name="open" className="mr-2" />
            {`Sold out from the start: customers must order at least ${least}, but only ${available} ${available === 1 ? 'is' : 'are'} available.`}
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
    </PictureForm>
  );
}
