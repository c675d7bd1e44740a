import { type LoaderFunctionArgs, redirect } from 'react-router';
import { productsPage } from '../../../contract/page-addresses.ts';
import { cataloguePaths } from '../../../contract/paths.ts';
import { ApiError, addPaths, type Client } from '../../client/api/client.ts';
import { loaderContext } from '../../client/route-context.ts';
import { excerptMatch, splitWords } from './matches.ts';
import { type CatalogueQuery, linkTo, readCatalogueQuery, toParameters } from './query.ts';

addPaths(cataloguePaths);

/** The products of a page: a multiple of the number of columns, and few enough to load quickly while typing. */
const pageSize = 60;
const excerptLength = 100;

/**
 * The products and counts for the URL of /products. If the page is already open, and the shop cannot be reached or rejects too
 * many searches, returns that problem instead.
 */
export async function loadCatalogue({ request, context }: LoaderFunctionArgs) {
  const { client } = context.get(loaderContext);
  const { searchParams } = new URL(request.url);
  const query = readCatalogueQuery(searchParams);
  // Without scripts, the browser also sends empty fields. They do not belong in a shared link.
  if ([...searchParams.values()].includes('')) throw redirect(`${productsPage}${linkTo(query)}`);
  const after = searchParams.get('after');
  try {
    return { query, results: await loadResults(client, query, after, request.signal) };
  } catch (error) {
    // The product after which this page starts is no longer in the list.
    if (after && error instanceof ApiError && error.problem.status === 422)
      throw redirect(`${productsPage}${linkTo(query)}`);
    const isOpen = globalThis.location?.pathname === productsPage;
    if (isOpen && error instanceof ApiError && [0, 429].includes(error.problem.status))
      return { query, problem: error.problem };
    throw error;
  }
}

export type Results = Awaited<ReturnType<typeof loadResults>>;

/** Further typing aborts `signal`. */
async function loadResults(client: Client, query: CatalogueQuery, after: string | null, signal: AbortSignal) {
  const parameters = { ...toParameters(query), ...(query.q ? { partial: 'true' as const } : {}) };
  const { sort, ...filtered } = parameters;
  const page = { limit: pageSize, ...(after ? { after } : {}) };
  const [list, filters] = await Promise.all([
    client.list('listProducts', { query: { ...parameters, ...page }, signal }),
    client.call('getProductFilters', { query: filtered, signal }),
  ]);
  const words = [...(filters.partial ? [] : splitWords(query.q)), ...filters.words];
  return {
    after: list.after,
    isLaterPage: after !== null,
    filters,
    /** The words to highlight: the words of the search and their corrections or, for similar tools, their stems. */
    words,
    /** The categories of the whole catalogue, if nothing matches. */
    allCategories:
      filters.matches === 0 ? (await client.call('getProductFilters', { query: {}, signal })).categories : [],
    // Loader data becomes part of the HTML, so include only what the page shows.
    rows: list.rows.map(
      ({ _id, name, price, img, description, o_quantity, a_quantity, rating, delivery }) => ({
        _id,
        name,
        price,
        img,
        o_quantity,
        a_quantity,
        rating,
        ...(delivery ? { delivery } : {}),
        description: excerptMatch(description, words, excerptLength),
      }),
    ),
  };
}
