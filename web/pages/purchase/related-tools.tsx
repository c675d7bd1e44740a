import type { Product } from '../../../contract/catalogue/products.ts';
import { purchasePages } from '../../../contract/page-addresses.ts';
import { ProductImage } from '../../components/catalogue/product-image.tsx';
import { StockLine } from '../../components/catalogue/stock-line.tsx';
import { DeliveryNote } from '../../components/delivery/delivery-note.tsx';
import { Link } from '../../components/link.tsx';
import { SectionHeading } from '../../components/section-heading.tsx';
import { useMoney } from '../../shop.tsx';

export type RelatedTool = Pick<
  Product,
  '_id' | 'name' | 'img' | 'price' | 'o_quantity' | 'a_quantity' | 'delivery'
>;

/** Only what a card shows, because loader data becomes part of the HTML. */
export const toRelatedTool = ({
  _id,
  name,
  img,
  price,
  o_quantity,
  a_quantity,
  delivery,
}: Product): RelatedTool => ({
  _id,
  name,
  img,
  price,
  o_quantity,
  a_quantity,
  ...(delivery ? { delivery } : {}),
});

/** Up to four tools below a product; nothing if there are none. */
export function RelatedTools({
  label,
  title,
  columns = 'lg:grid-cols-4',
  tools,
}: {
  label: string;
  title: string;
  columns?: string;
  tools: RelatedTool[];
}) {
  const money = useMoney();
  if (tools.length === 0) return null;
  return (
    <section className="mt-16">
      <SectionHeading label={label} title={title} />
      <ul className={`cards ${columns}`}>
        {tools.map((tool) => (
          <li key={tool._id} className="relative flex flex-col bg-leaf">
            <ProductImage img={tool.img} alt="" sizes="(width < 40rem) 44vw, (width < 64rem) 50vw, 20rem" />
            <div className="flex grow flex-col border-t border-rule px-3 py-3 sm:px-4">
              <h3 className="mb-2 text-lg leading-[1.25]">
                <Link
                  to={`${purchasePages}/${tool._id}`}
                  className="text-ink no-underline after:absolute after:inset-0 hover:text-blued hover:underline focus-visible:outline-none focus-visible:after:outline-3 focus-visible:after:-outline-offset-3 focus-visible:after:outline-blued"
                >
                  {tool.name}
                </Link>
              </h3>
              <p className="figures mt-auto flex flex-wrap items-baseline justify-between gap-x-3 text-sm max-sm:flex-col">
                <span className="font-serif text-base">
                  {money.charged(tool.price)}
                  <DeliveryNote estimate={tool.delivery} formatAmount={money.charged} />
                </span>
                <StockLine product={tool} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
