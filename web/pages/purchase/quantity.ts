import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Product } from '../../../contract/catalogue/products.ts';
import { useHydrated } from '../../client/hydration.ts';
import { useRejectedForm } from '../../forms/use-rejected-form.ts';
import { addForm, orderForm, parseQuantity } from './order.ts';

/** The quantity of a product's page, which both of its forms show and change. */
export type Quantity = ReturnType<typeof useQuantity>;

export function useQuantity(product: Product) {
  const { o_quantity: min, a_quantity: max } = product;
  const rejectedOrder = useRejectedForm(orderForm.name);
  const rejected = useRejectedForm(addForm.name) ?? rejectedOrder;
  const [search] = useSearchParams();
  const [text, setText] = useState(
    rejected?.values.orderQuantity ?? (search.get('orderQuantity') || String(min)),
  );
  /** An order whose response was lost. Resending the same values cannot order twice, so the values cannot be edited. */
  const [unconfirmed, setUnconfirmed] = useState<FormData>();
  const hydrated = useHydrated();
  const count = parseQuantity(product, text);
  return {
    /** Undefined if the text is not a quantity that can be ordered. */
    count,
    unconfirmed,
    setUnconfirmed,
    /** Without scripts, the buttons stay enabled, because the page does not learn what is typed. */
    isBlocked: hydrated && count === undefined && !unconfirmed,
    stepper: {
      value: text,
      min,
      max,
      hint: `From ${min} to ${max}.`,
      error: count === undefined ? `Enter a whole number from ${min} to ${max}.` : undefined,
      onChange: setText,
    },
  };
}
