import { useEffect, useRef, useState } from 'react';
import {
  type ProductField,
  productFields,
  publicFields,
} from '../../../../../contract/catalogue/product-fields.ts';
import { editedFields, parseField } from '../../../../../contract/catalogue/product-schemas.ts';
import type { ShownProduct } from '../../../../../contract/catalogue/products.ts';
import { Button } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { ProductView } from '../../../purchase/product-view.tsx';

type Values = Partial<Record<ProductField, unknown>>;

/** The product with the values of a form. A field with an invalid value is in `wrong`, and keeps its stored value. */
function merge(product: ShownProduct, images: string[], values: Values) {
  const parsed = publicFields.map((name) => {
    const value = parseField(name, values[name]);
    return {
      name,
      ...editedFields[name].safeParse(value ?? (productFields[name].isOptional ? undefined : '')),
    };
  });
  const valid = parsed.flatMap(({ name, success, data }) => (success ? [[name, data] as const] : []));
  return {
    product: {
      ...product,
      ...Object.fromEntries(valid),
      images: images.length > 0 ? images : product.images,
    },
    wrong: parsed.flatMap(({ name, success }) => (success ? [] : name)),
  };
}

type Props = { product: ShownProduct; readValues: () => Values; readImages: () => string[] };

/** A button that shows the product as customers would see it with the form's values. */
export function Preview({ product, readValues, readImages }: Props) {
  const [shown, setShown] = useState<ReturnType<typeof merge>>();
  return (
    <>
      <Button
        kind="plain"
        className="noscript:hidden"
        onClick={() => setShown(merge(product, readImages(), readValues()))}
      >
        Preview
      </Button>
      {shown && <PreviewDialog {...shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

function PreviewDialog({ product, wrong, onClose }: ReturnType<typeof merge> & { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const fields = wrong.map((field) => productFields[field].label).join(', ');
  return (
    <dialog
      ref={dialog}
      aria-label="Preview"
      onClose={onClose}
      className="dialog w-[min(76rem,calc(100vw-2rem))]! bg-paper!"
    >
      <div className="mb-6 flex flex-wrap items-center justify-between gap-3 border-b border-rule pb-4">
        <p className="text-soft">As customers would see it. Nothing is saved.</p>
        <Button kind="plain" onClick={() => dialog.current?.close()}>
          Close the preview
        </Button>
      </div>
      {fields && (
        <Notice>{`These values in the form are invalid, so the stored ones are shown: ${fields}.`}</Notice>
      )}
      <ProductView
        product={product}
        heading={
          <>
            <p className="caps mb-2 text-brass">{product.category || 'From the catalogue'}</p>
            <h2 className="mb-8 text-3xl">{product.name}</h2>
          </>
        }
        addForm={<p className="text-soft">The forms for the basket and for an order appear here.</p>}
      />
    </dialog>
  );
}
