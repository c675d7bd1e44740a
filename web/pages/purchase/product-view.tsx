import type { ReactNode } from 'react';
import type { ShownProduct } from '../../../contract/catalogue/products.ts';
import { productsPage } from '../../../contract/page-addresses.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Gallery } from '../../components/catalogue/gallery.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useMoney } from '../../shop.tsx';

type Props = {
  product: ShownProduct;
  heading: ReactNode;
  /** If the product cannot be ordered, the page says why instead. */
  orderForm: ReactNode;
  /** Shown if the product is sold out, or if the user waits for one that is no longer sold. */
  waitForm?: ReactNode;
};

/** A product as customers see it. */
export function ProductView({ product, heading, orderForm, waitForm }: Props) {
  const money = useMoney();
  const { name, images, description, price, o_quantity, a_quantity, archived, backInStock } = product;
  const soldOut = a_quantity < o_quantity;
  return (
    // On phones the columns dissolve (`contents`), and `order-*` puts their parts into reading order.
    <div className="flex flex-col lg:grid lg:grid-cols-[minmax(0,1fr)_26rem] lg:gap-x-12">
      <div className="contents lg:col-start-2 lg:row-start-1 lg:block">
        <div>{heading}</div>
        <div className="@container order-2">
          <dl
            className={`plate figures mb-8 bg-leaf text-sm @max-[15rem]:grid-cols-1 ${archived ? 'grid-cols-2' : 'grid-cols-[1.3fr_1fr_1fr]'}`}
          >
            <Fact term="Price">{money.charged(price)}</Fact>
            <Fact term="Minimum">{String(o_quantity)}</Fact>
            {!archived && <Fact term="In stock">{String(a_quantity)}</Fact>}
          </dl>
        </div>
        <div className="order-4">
          {archived ? (
            <Unavailable
              status="No longer sold"
              reason="It is no longer in the catalogue. Orders that you have placed for it are not affected."
            >
              {backInStock && waitForm}
            </Unavailable>
          ) : soldOut ? (
            <Unavailable
              status="Sold out"
              reason={a_quantity > 0 ? 'Too few left for the minimum order.' : 'None left at the moment.'}
            >
              {waitForm}
            </Unavailable>
          ) : (
            orderForm
          )}
        </div>
      </div>
      <div className="contents lg:col-start-1 lg:row-start-1 lg:block">
        <div className="order-1 mb-8 min-w-0">
          <Gallery key={product._id} images={images} name={name} sizes="(width < 64rem) 100vw, 46rem" />
        </div>
        <p className="order-3 mb-8 max-w-text whitespace-pre-line">{description}</p>
      </div>
    </div>
  );
}

/** Takes the place of the order form. */
function Unavailable({ status, reason, children }: { status: string; reason: string; children: ReactNode }) {
  return (
    <div className="border-t-2 border-edge pt-4">
      <p className="mb-1 text-lg">
        <StatusBadge tone="wrong">{status}</StatusBadge>
      </p>
      <p className="mb-6 text-soft">{reason}</p>
      {children && <div className="mb-6">{children}</div>}
      <ButtonLink to={productsPage} kind="plain">
        All products
      </ButtonLink>
    </div>
  );
}

function Fact({ term, children }: { term: string; children: string }) {
  return (
    <div className="px-3 py-3 sm:px-4">
      <dt className="text-soft">{term}</dt>
      <dd className="font-serif text-lg">{children}</dd>
    </div>
  );
}
