import type { Viewer } from '../../../contract/pages.ts';
import { useBasketQuantities } from '../../client/basket-quantities.ts';
import { StatusBadge } from '../status-badge.tsx';

/** A tab in the corner of a card whose product is in the viewer's basket. It covers a part of the image, so it moves nothing. */
export function InBasket({ id, viewer }: { id: string; viewer: Viewer }) {
  if (!useBasketQuantities(viewer)?.[id]) return null;
  return (
    <p className="absolute top-0 right-0 border-b border-l border-rule bg-leaf px-2 py-1 text-xs">
      <StatusBadge tone="done">In your basket</StatusBadge>
    </p>
  );
}
