import { useEffect, useState } from 'react';
import type { Basket } from '../../../contract/orders/purchases.ts';
import { productPagePaths } from '../../../contract/paths.ts';
import { addPaths } from '../../client/api/client.ts';
import { getSession } from '../../client/session.ts';
import { type RelatedTool, RelatedTools, toRelatedTool } from '../purchase/related-tools.tsx';

addPaths(productPagePaths);

const maxTools = 3;

/**
 * Up to three tools that go with the newest tool of the basket and are not in it. They are loaded after the page, with one call, so
 * that the basket does not wait for them; nothing is shown until then, or if there are none.
 */
export function Suggestions({ lines }: { lines: Basket['lines'] }) {
  const [tools, setTools] = useState<RelatedTool[]>([]);
  const newest = lines.findLast(({ product }) => product.price !== undefined)?.product._id;
  useEffect(() => {
    if (!newest) return setTools([]);
    const controller = new AbortController();
    const { signal } = controller;
    getSession()
      .client.call('listRelatedProducts', { params: { id: newest }, signal })
      .then(({ boughtTogether, related }) => setTools([...boughtTogether, ...related].map(toRelatedTool)))
      // The page is complete without them.
      .catch(() => undefined);
    return () => controller.abort();
  }, [newest]);
  const inBasket = new Set(lines.map(({ product }) => product._id));
  const shown = tools.filter(
    ({ _id, a_quantity, o_quantity }) => !inBasket.has(_id) && a_quantity >= o_quantity,
  );
  return (
    <RelatedTools
      label="From the workbench"
      title="Goes with these"
      // Narrow screens have two columns.
      columns="lg:grid-cols-3 max-lg:*:nth-3:hidden"
      tools={shown.slice(0, maxTools)}
    />
  );
}
