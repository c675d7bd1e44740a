import { useState } from 'react';
import type { Product } from '../../../../../contract/catalogue/products.ts';
import { managedProductPages } from '../../../../../contract/page-addresses.ts';
import { Button } from '../../../../components/button.tsx';
import { ProductImage } from '../../../../components/catalogue/product-image.tsx';
import { Link } from '../../../../components/link.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { Cell } from '../../../../components/table.tsx';
import { useMoney } from '../../../../shop.tsx';
import { rowButton } from '../../row-button.ts';
import { formatPriceInput } from '../product/format-price-input.ts';
import { isLow, isSoldOut } from './query.ts';
import { RowField } from './row-field.tsx';

type Props = {
  product: Product;
  onDelete: (product: Product) => void;
  /** Takes the product off sale, or puts it back. */
  onArchive: (product: Product) => Promise<void>;
  /** Called if the product may have changed. `saved` is the label of the field that was saved, if any. */
  onChanged: (product: Product, saved?: string) => Promise<unknown>;
};

export function AdminProductRow({ product, onDelete, onArchive, onChanged }: Props) {
  const money = useMoney();
  const { _id, name, img, price, currency, o_quantity, a_quantity, lowStock, category, archived } = product;
  const formatPrice = (one: Product) => money.table(one.price, currency);
  const formatThreshold = (one: Product) => String(one.lowStock ?? 'none');
  const onFieldChanged = (saved?: string) => onChanged(product, saved);
  return (
    <tr id={_id} tabIndex={-1}>
      <Cell>
        <span className="flex gap-3">
          <span className="w-14 shrink-0 self-start border border-rule @min-[43rem]:@max-[56rem]:hidden">
            <ProductImage img={img} alt="" sizes="3.5rem" />
          </span>
          <span className="self-baseline">
            <Link
              to={`${managedProductPages}/${_id}`}
              className="link block w-fit py-0.5 font-serif text-lg leading-tight wrap-anywhere max-sm:link-alone sm:min-w-28"
            >
              {name}
            </Link>
            <span className="flex flex-wrap gap-x-3 text-sm">
              {category && <span className="text-soft wrap-anywhere">{category}</span>}
              {archived && <StatusBadge tone="open">Archived</StatusBadge>}
            </span>
          </span>
        </span>
      </Cell>
      <Cell label="Price" number>
        <RowField
          product={product}
          onChanged={onFieldChanged}
          field="price"
          label="Price"
          text={formatPriceInput(price)}
          format={formatPrice}
        >
          {formatPrice(product)}
        </RowField>
      </Cell>
      <Cell label="Order quantity" number>
        {o_quantity}
      </Cell>
      <Cell label="Available" number>
        <span>
          <Link
            to={`${managedProductPages}/${_id}/stock`}
            className="link inline-block min-w-6 py-0.5 max-sm:link-alone"
          >
            {a_quantity}
            <span className="sr-only">{` in stock of ${name}`}</span>
          </Link>
          {isSoldOut(product) ? (
            <span className="block">
              <StatusBadge tone="wrong">Sold out</StatusBadge>
            </span>
          ) : (
            isLow(product) && (
              <span className="block">
                <StatusBadge tone="open">Low stock</StatusBadge>
              </span>
            )
          )}
        </span>
      </Cell>
      <Cell label="Threshold" number>
        <RowField
          product={product}
          onChanged={onFieldChanged}
          field="lowStock"
          label="Low-stock threshold"
          text={lowStock === undefined ? '' : String(lowStock)}
          format={formatThreshold}
        >
          {lowStock ?? 'None'}
        </RowField>
      </Cell>
      <Cell number>
        <span className="flex gap-2 @min-[43rem]:justify-end">
          <ArchiveButton product={product} onArchive={onArchive} />
          <Button kind="danger" className={rowButton} onClick={() => onDelete(product)}>
            Delete<span className="sr-only"> {name}</span>
          </Button>
        </span>
      </Cell>
    </tr>
  );
}

/** Without scripts, products are archived and restored on the edit page. */
function ArchiveButton({ product, onArchive }: Pick<Props, 'product' | 'onArchive'>) {
  const [busy, setBusy] = useState(false);
  return (
    <Button
      kind="plain"
      busy={busy}
      className={`noscript:hidden ${rowButton}`}
      onClick={() => {
        setBusy(true);
        void onArchive(product).finally(() => setBusy(false));
      }}
    >
      {product.archived ? 'Restore' : 'Archive'}
      <span className="sr-only"> {product.name}</span>
    </Button>
  );
}
