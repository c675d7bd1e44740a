import type { ReactNode } from 'react';
import { formatQuantity } from '../../contract/admin/health-format.ts';
import type { Order } from '../../contract/orders/orders.ts';
import { purchasePages } from '../../contract/page-addresses.ts';
import { useMoney } from '../shop.tsx';
import { Link } from './link.tsx';
import { Thumbnail } from './thumbnail.tsx';

type Props = {
  order: Pick<Order, 'orderId' | 'product' | 'img' | 'orderQuantity' | 'price' | 'currency'>;
  /** The price as in tables, with $. */
  inTable?: boolean;
  children?: ReactNode;
};

/** A tool of an order: its drawing, its name and number of pieces, and its price at the right edge. */
export function OrderedTool({ order, inTable = false, children }: Props) {
  const { orderId, product, img, orderQuantity, price, currency } = order;
  const money = useMoney();
  return (
    // With large text, the text is below the drawing.
    <div className="flex flex-wrap gap-x-4 gap-y-2">
      <div className="w-20 shrink-0 sm:w-24">
        <Thumbnail img={img} />
      </div>
      <div className="min-w-[min(9rem,100%)] grow basis-0">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <h3 className="min-w-0 text-lg wrap-anywhere">
            {img ? (
              <Link to={`${purchasePages}/${orderId}`} className="text-ink no-underline hover:underline">
                {product}
              </Link>
            ) : (
              product
            )}
          </h3>
          <p className="figures font-serif sm:text-lg">
            {inTable ? money.table(price, currency) : money.charged(price, currency)}
          </p>
        </div>
        <p className="figures text-sm text-soft">{formatQuantity(orderQuantity, 'piece')}</p>
        {children}
      </div>
    </div>
  );
}
