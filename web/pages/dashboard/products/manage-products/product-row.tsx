import { useState } from 'react';
import type { Product } from '../../../../../contract/catalogue/products.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { ProductImage } from '../../../../components/catalogue/product-image.tsx';
import { Link } from '../../../../components/link.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { Cell } from '../../../../components/table.tsx';
import { useMoney } from '../../../../shop.tsx';
import { formatPriceInput } from '../product/format-price-input.ts';
import { productPath } from '../product/path.ts';
import { stockPath } from '../stock/path.ts';
import { isLow, isSoldOut } from './query.ts';
import { RowField } from './row-field.tsx';

type Props = {
  product: Product;
  onDelete: (product: Product) => void;
  onRestore: (product: Product) => Promise<void>;
  onSaved: () => Promise<unknown>;
};

export function AdminProductRow({ product, onDelete, onRestore, onSaved }: Props) {
  const money = useMoney();
  const { _id, name, img, price, currency, o_quantity, a_quantity, lowStock, category, archived } = product;
  const formatPrice = (one: Product) => money.table(one.price, currency);
  const formatThreshold = (one: Product) => String(one.lowStock ?? 'none');
  return (
    <tr id={_id} tabIndex={-1}>
      <Cell>
        <span className="flex items-center gap-4">
          <span className="w-20 shrink-0 border border-rule">
            <ProductImage img={img} alt="" sizes="5rem" />
          </span>
          <span>
            <Link
              to={`/purchase/${_id}`}
              className="link font-serif text-lg leading-tight wrap-anywhere max-sm:link-alone"
            >
              {name}
            </Link>
            {category && <span className="block text-sm text-soft wrap-anywhere">{category}</span>}
            {archived && (
              <span className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1">
                <StatusBadge tone="wrong">Archived</StatusBadge>
                <RestoreButton product={product} onRestore={onRestore} />
              </span>
            )}
          </span>
        </span>
      </Cell>
      <Cell label="Price" number>
        <RowField
          {...{ product, onSaved }}
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
          <Link to={stockPath(_id)} className="link max-sm:link-alone">
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
          {...{ product, onSaved }}
          field="lowStock"
          label="Low-stock threshold"
          text={lowStock === undefined ? '' : String(lowStock)}
          format={formatThreshold}
        >
          {lowStock ?? 'None'}
        </RowField>
      </Cell>
      <Cell number>
        <span className="flex flex-wrap gap-3 sm:flex-nowrap sm:justify-end">
          <ButtonLink kind="plain" className="sm:px-3" to={productPath(_id)}>
            Edit<span className="sr-only"> {name}</span>
          </ButtonLink>
          <Button kind="danger" className="sm:px-3" onClick={() => onDelete(product)}>
            Delete<span className="sr-only"> {name}</span>
          </Button>
        </span>
      </Cell>
    </tr>
  );
}

/** Without scripts, products are restored on the edit page. */
function RestoreButton({ product, onRestore }: Pick<Props, 'product' | 'onRestore'>) {
  const [busy, setBusy] = useState(false);
  return (
    <Button
      kind="plain"
      busy={busy}
      className="noscript:hidden sm:px-3"
      onClick={() => {
        setBusy(true);
        void onRestore(product).finally(() => setBusy(false));
      }}
    >
      Restore<span className="sr-only"> {product.name}</span>
    </Button>
  );
}
