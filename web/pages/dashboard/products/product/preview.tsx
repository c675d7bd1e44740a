import { useEffect, useRef, useState } from 'react';
import { newProduct, type Product } from '../../../../../contract/catalogue/products.ts';
import { parseAmount, parsePieces } from '../../../../../contract/fields.ts';
import { Button } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { ProductView } from '../../../purchase/product-view.tsx';
import { editedFields } from './versions.ts';

const previewed = newProduct
  .pick({ name: true, price: true, o_quantity: true, description: true, category: true })
  .partial();
type Values = Partial<Record<keyof typeof previewed.shape, unknown>>;

/** The product with the values of a form. Fields with invalid values are in `wrong`, and keep the stored ones. */
function merge(product: Product, images: string[], { price, o_quantity, ...texts }: Values) {
  const values = { ...texts, price: parseAmount(price) ?? '', o_quantity: parsePieces(o_quantity) ?? '' };
  const wrong = new Set(previewed.safeParse(values).error?.issues.map(({ path }) => path[0]));
  const valid = previewed.parse(
    Object.fromEntries(Object.entries(values).filter(([field]) => !wrong.has(field))),
  );
  return {
    product: {
      ...product,
      name: valid.name ?? product.name,
      price: valid.price ?? product.price,
      o_quantity: valid.o_quantity ?? product.o_quantity,
      description: valid.description ?? product.description,
      category: valid.category ?? product.category ?? '',
      images: images.length > 0 ? images : product.images,
    },
    wrong: previewed.keyof().options.filter((field) => wrong.has(field)),
  };
}

type Props = { product: Product; readValues: () => Values; readImages: () => string[] };

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
  const fields = wrong.map((field) => editedFields[field]).join(', ');
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
        orderForm={<p className="border-t-2 border-edge pt-4 text-soft">The order form appears here.</p>}
      />
    </dialog>
  );
}
