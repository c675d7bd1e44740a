import type { Product } from '../../../contract/catalogue/products.ts';
import { useViewer } from '../../client/viewer.ts';
import { getAccountParts } from '../layout/account-parts.ts';
import { StatusBadge } from '../status-badge.tsx';

/** The stock of a product, beside its price on a card; instead, that it is sold out or in the viewer's basket. */
export function StockLine({
  product: { _id, o_quantity, a_quantity },
}: {
  product: Pick<Product, '_id' | 'o_quantity' | 'a_quantity'>;
}) {
  const viewer = useViewer();
  const parts = getAccountParts();
  if (a_quantity < o_quantity) return <StatusBadge tone="wrong">Sold out</StatusBadge>;
  const stock = (
    <span className="text-soft">
      {`${a_quantity} in stock${o_quantity > 1 ? `, min. ${o_quantity}` : ''}`}
    </span>
  );
  if (!viewer || !parts) return stock;
  return (
    <parts.InBasket id={_id} viewer={viewer}>
      {stock}
    </parts.InBasket>
  );
}
