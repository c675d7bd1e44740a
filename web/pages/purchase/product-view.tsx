import type { ReactNode } from 'react';
import type { ShownProduct } from '../../../contract/catalogue/products.ts';
import { productsPage } from '../../../contract/page-addresses.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Gallery } from '../../components/catalogue/gallery.tsx';
import { type DeliveryChoice, DeliveryCountry } from '../../components/delivery/delivery-country.tsx';
import { DeliveryNote } from '../../components/delivery/delivery-note.tsx';
import { PromiseList } from '../../components/promises.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useMoney } from '../../shop.tsx';
import { Specification } from './specification.tsx';

type Props = {
  product: ShownProduct;
  heading: ReactNode;
  /** Absent as long as the shop has no delivery rates. */
  deliveryChoice?: DeliveryChoice | undefined;
  /** Below the price. If the product cannot be ordered, the page says why instead. */
  addForm: ReactNode;
  /** Below the description, under the same condition. Visitors have none. */
  orderForm?: ReactNode;
  /** Shown if the product is sold out, or if it is no longer sold and the user still waits for it. */
  waitForm?: ReactNode;
};

/** The second part of the right column. It spans all further rows, so that it follows the first part at once. */
const belowPrice = 'lg:col-start-2 lg:row-span-4 lg:row-start-2';

/**
 * A product as customers see it. On wide screens, two columns: the images, the description and the specification; how to order it.
 * Without an order form, the right column has the specification. The promises follow in one row: in the right column they would
 * leave a gap beside the order form.
 */
export function ProductView({ product, heading, deliveryChoice, addForm, orderForm, waitForm }: Props) {
  const money = useMoney();
  const { name, images, description, price, o_quantity, a_quantity, archived, backInStock } = product;
  const soldOut = a_quantity < o_quantity;
  const isOnSale = !archived && !soldOut;
  const hasOrderForm = isOnSale && orderForm !== undefined;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] lg:grid-cols-[minmax(0,1fr)_26rem] lg:gap-x-12 lg:grid-rows-[auto_auto_auto_auto_1fr_auto]">
      <div className="mb-6 lg:row-span-2 lg:mb-12">
        <Gallery
          key={product._id}
          images={images}
          name={name}
          sizes="(width < 40rem) calc(100vw - 2rem), (width < 64rem) calc(100vw - 4rem), 46rem"
        />
      </div>
      <div className="mb-12">
        {heading}
        <p className="figures mb-4 flex flex-wrap items-baseline justify-between gap-x-4 border-y border-rule py-3">
          <span>
            <span className="font-serif text-2xl">{money.charged(price)}</span>
            {o_quantity > 1 && <span className="text-sm text-soft"> per piece</span>}
            {deliveryChoice && (
              <span className="font-serif text-2xl">
                <DeliveryNote estimate={deliveryChoice.estimate} formatAmount={money.charged} />
              </span>
            )}
          </span>
          {isOnSale && <StatusBadge tone="done">{`${a_quantity} in stock`}</StatusBadge>}
        </p>
        {!archived && deliveryChoice && <DeliveryCountry {...deliveryChoice} />}
        {archived && (
          <Unavailable
            status="No longer sold"
            reason="It is no longer in the catalogue. Orders that you have placed for it are not affected."
          >
            {backInStock && waitForm}
          </Unavailable>
        )}
        {!archived && soldOut && (
          <Unavailable
            status="Sold out"
            reason={a_quantity > 0 ? 'Too few left for the minimum order.' : 'None left at the moment.'}
          >
            {waitForm}
          </Unavailable>
        )}
        {isOnSale && addForm}
      </div>
      {!archived && (
        <PromiseList className="mb-12 lg:col-span-2 lg:row-start-6 lg:flex lg:gap-x-12 lg:border-t lg:*:flex-1 lg:*:border-t-0" />
      )}
      <section className="mb-12 max-w-text lg:col-start-1 lg:row-start-3">
        <h2 className="mb-3 text-xl">Description</h2>
        <p className="whitespace-pre-line">{description}</p>
      </section>
      <div className={`mb-12 ${hasOrderForm ? 'max-w-text lg:col-start-1 lg:row-start-4' : belowPrice}`}>
        <Specification product={product} />
      </div>
      {hasOrderForm && <div className={`mb-12 ${belowPrice}`}>{orderForm}</div>}
    </div>
  );
}

/** Replaces the form, and says why the product cannot be ordered. */
function Unavailable({ status, reason, children }: { status: string; reason: string; children: ReactNode }) {
  return (
    <>
      <p className="mb-1 text-lg">
        <StatusBadge tone="wrong">{status}</StatusBadge>
      </p>
      <p className="mb-6 text-soft">{reason}</p>
      {children && <div className="mb-6">{children}</div>}
      <ButtonLink to={productsPage} kind="plain">
        All products
      </ButtonLink>
    </>
  );
}
