import type { ReactNode } from 'react';
import type { Product } from '../../../contract/catalogue/products.ts';
import { purchasePages } from '../../../contract/page-addresses.ts';
import { useMoney } from '../../shop.tsx';
import { ButtonLink } from '../button.tsx';
import { StatusBadge } from '../status-badge.tsx';
import { ProductImage } from './product-image.tsx';

type Props = {
  /** `description` is only its beginning. */
  product: Pick<Product, '_id' | 'name' | 'img' | 'description' | 'price' | 'o_quantity' | 'a_quantity'>;
  /** The figure number, as in "Fig. 7". */
  figure: number;
  headingLevel: 'h2' | 'h3';
  /** The image is visible right away. */
  eager?: boolean;
  /** Highlights the search words in the name and the description. */
  mark?: (text: string) => ReactNode;
  /** Below the name. */
  children?: ReactNode;
};

/** A product in the grid. */
export function ProductCard({
  product,
  figure,
  headingLevel: Heading,
  eager = false,
  mark = (text) => text,
  children,
}: Props) {
  const money = useMoney();
  const { _id, name, img, description, price, o_quantity, a_quantity } = product;
  const soldOut = a_quantity < o_quantity;
  return (
    <li className="relative flex flex-col bg-leaf">
      <ProductImage
        img={img}
        alt=""
        sizes="(width < 40rem) 100vw, (width < 64rem) 50vw, 26rem"
        eager={eager}
      />
      <div className="flex grow flex-col border-t border-rule px-5 pt-4 pb-6">
        <p className="caps text-brass">{`Fig. ${figure}`}</p>
        <Heading className="mb-2 text-xl">{mark(name)}</Heading>
        {children}
        <p className="mb-4 text-sm text-soft">{mark(description)}</p>
        <div className="figures mt-auto flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 border-t border-rule pt-3 text-sm">
          <span className="font-serif text-lg font-medium">{money.card(price)}</span>
          {soldOut ? (
            <StatusBadge tone="wrong">Sold out</StatusBadge>
          ) : (
            <span className="text-soft">
              {`${a_quantity} in stock${o_quantity > 1 ? `, min. ${o_quantity}` : ''}`}
            </span>
          )}
        </div>
        {/* The whole card is clickable, so the focus ring surrounds it. */}
        <ButtonLink
          to={`${purchasePages}/${_id}`}
          kind="plain"
          className="mt-4 after:absolute after:inset-0 focus-visible:after:outline-3 focus-visible:after:-outline-offset-3 focus-visible:after:outline-blued"
        >
          {soldOut ? 'View' : 'Purchase'}
          <span className="sr-only">{` ${name}`}</span>
        </ButtonLink>
      </div>
    </li>
  );
}
