import type { ReactNode } from 'react';
import type { Product } from '../../../contract/catalogue/products.ts';
import { purchasePages } from '../../../contract/page-addresses.ts';
import { useMoney } from '../../shop.tsx';
import { ButtonLink } from '../button.tsx';
import { DeliveryNote } from '../delivery/delivery-note.tsx';
import { ProductImage } from './product-image.tsx';
import { StockLine } from './stock-line.tsx';

type Props = {
  /** `description` is only its beginning. */
  product: Pick<
    Product,
    '_id' | 'name' | 'img' | 'description' | 'price' | 'o_quantity' | 'a_quantity' | 'delivery'
  >;
  /** The figure number, as in "Fig. 7". */
  figure: number;
  headingLevel: 'h2' | 'h3';
  /** The image is in the page's first screen. */
  isMain?: boolean;
  /** On a phone, the card takes a whole row. */
  wide?: boolean;
  /** Highlights the search words in the name and the description. */
  mark?: (text: string) => ReactNode;
  /** Below the name. */
  children?: ReactNode;
};

/** A product in a grid with the class `cards`. On phones, it has no excerpt and no button: the whole card is the link. */
export function ProductCard({
  product,
  figure,
  headingLevel: Heading,
  isMain = false,
  wide = false,
  mark = (text) => text,
  children,
}: Props) {
  const money = useMoney();
  const { _id, name, img, description, price, o_quantity, a_quantity, delivery } = product;
  const soldOut = a_quantity < o_quantity;
  return (
    <li className={`relative flex flex-col bg-leaf ${wide ? 'max-sm:col-span-full' : ''}`}>
      <ProductImage
        img={img}
        alt=""
        sizes={`(width < 40rem) ${wide ? '92vw' : '44vw'}, (width < 64rem) 50vw, 26rem`}
        isMain={isMain}
      />
      <div className="flex grow flex-col border-t border-rule px-3 py-3 sm:px-5 sm:pt-4 sm:pb-6">
        <p className="caps text-brass">{`Fig. ${figure}`}</p>
        <Heading className="mb-2 text-lg leading-[1.25] sm:text-xl">{mark(name)}</Heading>
        {children}
        <p className="mb-4 text-sm text-soft max-sm:hidden">{mark(description)}</p>
        <div
          className={`figures mt-auto flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 pt-1 text-sm sm:border-t sm:border-rule sm:pt-3 ${wide ? '' : 'max-sm:flex-col'}`}
        >
          <span className="font-serif text-lg font-medium">
            {money.card(price)}
            <DeliveryNote estimate={delivery} formatAmount={money.card} />
          </span>
          <StockLine product={product} />
        </div>
        {/* The whole card is clickable, so the focus ring surrounds it. */}
        <ButtonLink
          to={`${purchasePages}/${_id}`}
          kind="plain"
          className="mt-4 after:absolute after:inset-0 focus-visible:after:outline-3 focus-visible:after:-outline-offset-3 focus-visible:after:outline-blued max-sm:absolute max-sm:inset-0 max-sm:mt-0 max-sm:border-0 max-sm:bg-transparent"
        >
          <span className="max-sm:sr-only">
            {soldOut ? 'View' : 'Order'}
            <span className="sr-only">{` ${name}`}</span>
          </span>
        </ButtonLink>
      </div>
    </li>
  );
}
