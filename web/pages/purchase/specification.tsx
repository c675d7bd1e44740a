import type { ReactNode } from 'react';
import { formatQuantity } from '../../../contract/admin/health-format.ts';
import { listFacts } from '../../../contract/catalogue/facts.ts';
import type { ShownProduct } from '../../../contract/catalogue/products.ts';
import { toCategoryPath } from '../../components/catalogue/category-path.ts';
import { Link } from '../../components/link.tsx';
import { useMoney } from '../../shop.tsx';

/**
 * A product's facts, set like the legend of an engraving: a dotted line leads from each term to its value. A product without facts
 * shows its price, minimum and stock instead.
 */
export function Specification({ product }: { product: ShownProduct }) {
  const money = useMoney();
  const { category, price, o_quantity, a_quantity, archived } = product;
  const facts = listFacts(product.facts);
  const hasFacts = facts.length > 0;
  return (
    <section>
      <h2 className="mb-3 text-xl">Specification</h2>
      {/* A value that does not fit beside its term has a line of its own. */}
      <dl
        className={`@container figures border-y-2 border-edge ${hasFacts ? 'text-balance wrap-anywhere *:flex-wrap **:[dt]:max-w-full' : ''}`.trim()}
      >
        {category && (
          <Fact term="Category">
            <Link to={toCategoryPath(category)} className="link">
              {category}
            </Link>
          </Fact>
        )}
        {facts.map(({ label, value }) => (
          <Fact key={`${label}: ${value}`} term={label}>
            {value}
          </Fact>
        ))}
        {!hasFacts && <Fact term="Price per piece">{money.charged(price)}</Fact>}
        {(!hasFacts || o_quantity > 1) && <Fact term="Minimum">{formatQuantity(o_quantity, 'piece')}</Fact>}
        {!hasFacts && !archived && <Fact term="In stock">{formatQuantity(a_quantity, 'piece')}</Fact>}
      </dl>
    </section>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline gap-2 border-b border-rule py-2.5 last:border-b-0 @max-[16rem]:flex-wrap">
      <dt className="shrink-0 text-soft">{term}</dt>
      <dd className="contents">
        <span aria-hidden="true" className="min-w-4 grow border-b-2 border-dotted border-edge" />
        <span className="ml-auto min-w-0 text-right font-serif text-lg">{children}</span>
      </dd>
    </div>
  );
}
