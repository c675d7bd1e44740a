import { useState } from 'react';
import { redirect, useSearchParams } from 'react-router';
import type { Product } from '../../../contract/catalogue/products.ts';
import { Button } from '../../components/button.tsx';
import { Stepper } from '../../components/stepper.tsx';

/** Replaces the order form for visitors, who return from sign-in with the quantity that they chose. */
export function VisitorForm({ product }: { product: Product }) {
  const { o_quantity: min, a_quantity: max } = product;
  const [search] = useSearchParams();
  const [quantity, setQuantity] = useState(search.get('orderQuantity') || String(min));
  return (
    <form method="get" noValidate>
      <Stepper
        id="orderQuantity"
        itemName={product.name}
        value={quantity}
        min={min}
        max={max}
        hint={`From ${min} to ${max}.`}
        onChange={setQuantity}
      />
      <Button type="submit" name="continue" value="login" className="w-full">
        Sign in to order
      </Button>
      <Button type="submit" name="continue" value="signup" kind="plain" className="mt-3 w-full">
        Create an account
      </Button>
      <p className="mt-3 text-sm text-soft">Then you can continue with this tool and quantity.</p>
    </form>
  );
}

/** Redirects a visitor who has submitted the form to sign-in or sign-up. */
export function redirectToSignIn({ url }: Request): void {
  const { pathname, searchParams } = new URL(url);
  const page = searchParams.get('continue');
  if (page !== 'login' && page !== 'signup') return;
  const quantity = new URLSearchParams({ orderQuantity: searchParams.get('orderQuantity') ?? '' });
  throw redirect(`/${page}?from=${encodeURIComponent(`${pathname}?${quantity}`)}`);
}
