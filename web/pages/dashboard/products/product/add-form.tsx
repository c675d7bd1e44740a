import { useState } from 'react';
import { parsePieces } from '../../../../../contract/fields.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Icon } from '../../../../components/layout/icon.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import type { RejectedForm } from '../../../../forms/form-results.ts';
import { getText } from '../../../../forms/page-form.ts';
import { usePageForm } from '../../../../forms/use-page-form.tsx';
import { ImageField } from '../image-field.tsx';
import { useImageUpload } from '../image-upload.ts';
import { isSoldOut } from '../manage-products/query.ts';
import { ProductForm } from './product-form.tsx';
import { productForm } from './save.ts';

export type AddedProduct = { id: string; name: string; isSoldOut: boolean };

type Props = {
  viewer: Viewer;
  categories: string[];
  formKey: string;
  rejected: RejectedForm | undefined;
  onAdded: (added: AddedProduct) => void;
};

/** Adds a product with one image. */
export function AddForm({ viewer, categories, formKey, rejected, onAdded }: Props) {
  const toast = useToast();
  const image = useImageUpload();
  const [typed, setTyped] = useState({
    o_quantity: parsePieces(rejected?.values.o_quantity),
    a_quantity: parsePieces(rejected?.values.a_quantity),
  });
  const form = usePageForm(productForm, {
    viewer,
    formKey,
    posted: rejected,
    upload: image.upload,
    onRejected({ errors }) {
      toast('Failed to add the Product', 'wrong');
      if (errors.img) image.forget();
    },
    onDone(added, { reset }) {
      // Text typed meanwhile is for the next product.
      reset();
      onAdded(added);
    },
  });

  return (
    <ProductForm
      form={form}
      categories={categories}
      submitLabel="Add Product"
      onTyped={(element) => {
        const values = new FormData(element);
        const read = (name: string) => parsePieces(getText(values, name));
        setTyped({ o_quantity: read('o_quantity'), a_quantity: read('a_quantity') });
      }}
      email={<Field label="Email" type="email" autoComplete="email" {...form.field('email', viewer.email)} />}
      stock={
        <Field
          label="Available quantity"
          hint="Quantity in stock."
          inputMode="numeric"
          autoComplete="off"
          {...form.field('a_quantity')}
        />
      }
      warning={<SoldOutWarning {...typed} />}
      aside={
        <ImageField
          id="img"
          file={image.file}
          storedUrl={rejected?.values.img}
          error={form.messageOf('img')}
          progress={image.progress}
          onChange={(file) => {
            image.choose(file);
            form.clearError('img');
          }}
        />
      }
    />
  );
}

type Quantities = { o_quantity: unknown; a_quantity: unknown };

function SoldOutWarning({ o_quantity, a_quantity }: Quantities) {
  const isWarned =
    typeof o_quantity === 'number' &&
    typeof a_quantity === 'number' &&
    a_quantity >= 0 &&
    isSoldOut({ o_quantity, a_quantity });
  return (
    <div role="status">
      {isWarned && (
        <p className="-mt-3 mb-6 text-sm text-brass">
          <Icon name="open" className="mr-2" />
          {`Sold out from the start: customers must order at least ${o_quantity}, but only ${a_quantity} ${a_quantity === 1 ? 'is' : 'are'} available.`}
        </p>
      )}
    </div>
  );
}
