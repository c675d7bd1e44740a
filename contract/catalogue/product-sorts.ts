// In its own file, so that pages read the sort orders without loading the schemas.

/**
 * Sort orders for everyone. `best` is the best match for the search text. `-` reverses an order, so `-rating` sorts the best
 * rated first.
 */
export const publicSorts = ['best', 'added', 'price', '-price', 'name', '-rating'] as const;

/** All sort orders. `added` sorts the oldest first, `stock` and `price` the lowest first. */
export const productSorts = [...publicSorts, '-added', '-name', 'stock', '-stock'] as const;
