import type { ProductFilters } from '../../../contract/catalogue/product-list.ts';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Link } from '../../components/link.tsx';
import { type CatalogueQuery, linkTo, readCatalogueQuery } from './query.ts';

const everything = readCatalogueQuery(new URLSearchParams());

type Props = {
  query: CatalogueQuery;
  /** The closest words of the catalogue. */
  words: string[];
  /** All categories with all of their products. */
  categories: ProductFilters['categories'];
};

/** Suggestions for when no product matches. */
export function NoMatches({ query, words, categories }: Props) {
  const { q } = query;
  const searched = { ...everything, q };
  const isFiltered = linkTo(query) !== linkTo(searched);
  return (
    <EmptyState title={q ? `Nothing found for “${q}”` : 'No tool matches these filters'}>
      {words.length > 0 && (
        <>
          <p>Did you mean</p>
          <ul className="flex flex-wrap justify-center gap-x-4">
            {words.map((word) => (
              <li key={word}>
                <Link to={linkTo({ ...searched, q: word })} className="link link-alone justify-center">
                  {word}
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
      {q && isFiltered && (
        <p>
          <Link to={linkTo(searched)} className="link link-alone">
            {`Search for “${q}” without the filters`}
          </Link>
        </p>
      )}
      {categories.length > 0 && (
        <>
          <h3 className="caps mt-6 mb-1 font-sans font-normal text-brass">All categories</h3>
          <ul className="flex flex-wrap justify-center gap-x-6">
            {categories.map(({ category, count, atLeast }) => (
              <li key={category}>
                <Link to={linkTo({ ...everything, category })} className="link link-alone">
                  {category}
                </Link>
                <span className="figures ml-1.5">{`${count}${atLeast ? '+' : ''}`}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </EmptyState>
  );
}
