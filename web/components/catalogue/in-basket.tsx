import type { ReactNode } from 'react';
import type { Viewer } from '../../../contract/pages.ts';
import { useBasketQuantities } from '../../client/basket-quantities.ts';
import { StatusBadge } from '../status-badge.tsx';

/** Replaces the children if the product is in the viewer's basket. Their space stays reserved, so that nothing moves. */
export function InBasket({ id, viewer, children }: { id: string; viewer: Viewer; children: ReactNode }) {
  if (!useBasketQuantities(viewer)?.[id]) return children;
  return (
    <span className="grid *:col-start-1 *:row-start-1">
      <span className="invisible">{children}</span>
      <StatusBadge tone="done">In your basket</StatusBadge>
    </span>
  );
}
