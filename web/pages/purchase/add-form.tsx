import { type FormEvent, useRef, useState } from 'react';
import { useRevalidator, useSearchParams } from 'react-router';
import type { Product } from '../../../contract/catalogue/products.ts';
import { basketPage } from '../../../contract/page-addresses.ts';
import type { Viewer } from '../../../contract/pages.ts';
import { isSignedOut } from '../../client/api/api-errors.ts';
import { createFormKey } from '../../client/api/idempotency.ts';
import { setBasketLines, useBasketQuantities } from '../../client/basket-quantities.ts';
import { getSession } from '../../client/session.ts';
import { useIntersection } from '../../client/use-intersection.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { Link } from '../../components/link.tsx';
import { Stepper } from '../../components/stepper.tsx';
import { useDraft } from '../../forms/draft.ts';
import { HiddenFields } from '../../forms/fields/hidden-fields.tsx';
import { KeyField } from '../../forms/fields/key-field.tsx';
import { readSubmitted } from '../../forms/submitted.ts';
import { useRejectedForm } from '../../forms/use-rejected-form.ts';
import { useMoney } from '../../shop.tsx';
import { addedToBasket, addForm, calculateTotal, formatRange, invalidQuantity, orderForm } from './order.ts';
import type { Quantity } from './quantity.ts';

const quantityId = 'addQuantity';

/**
 * Adds the quantity to the basket, and says how many pieces of the product it has. On phones, a bar repeats the button once the
 * button has scrolled away.
 */
export function AddForm({
  product,
  viewer,
  formKey,
  quantity,
}: {
  product: Product;
  viewer: Viewer;
  formKey: string;
  quantity: Quantity;
}) {
  const rejected = useRejectedForm(addForm.name);
  const rejectedOrder = useRejectedForm(orderForm.name);
  // Revalidation must not replace the key: it changes only once the form has been sent.
  const [key, setKey] = useState(rejected?.values.key || formKey);
  const [errors, setErrors] = useState({
    ...rejected?.errors,
    ...(rejected?.root ? { root: rejected.root } : {}),
  });
  const [isSubmitted, setIsSubmitted] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const position = useIntersection(button);
  const isButtonAbove =
    position !== undefined && !position.isIntersecting && position.boundingClientRect.bottom <= 0;
  const [search] = useSearchParams();
  const money = useMoney();
  const toast = useToast();
  const draft = useDraft(viewer.email, addForm.name);
  const { revalidate } = useRevalidator();
  const { count, isBlocked, unconfirmed, stepper } = quantity;
  const inBasket = useBasketQuantities(viewer)?.[product._id];
  const [formError] = Object.values(errors);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    const formData = readSubmitted(event);
    if (addForm.check(formData).orderQuantity) {
      toast(invalidQuantity, 'wrong');
      document.getElementById(quantityId)?.focus();
      return;
    }
    setIsBusy(true);
    setIsSubmitted(true);
    setErrors({});
    const result = await addForm.send(getSession(), viewer, formData);
    if (!result.isDone) {
      if (isSignedOut(result.error)) return draft.signIn();
      setErrors({ ...result.errors, ...(result.root ? { root: result.root } : {}) });
      // The stock has changed: load the current one.
      if (result.status === 409) await revalidate();
    } else {
      setBasketLines(result.result.lines);
      // The next click adds again.
      setKey(createFormKey());
      toast(
        addedToBasket,
        'done',
        <Link to={basketPage} className="link">
          View basket
        </Link>,
      );
    }
    setIsBusy(false);
  }

  return (
    // Without scripts, the page after a post starts at this form, which has the message. On a phone, the form is below the
    // images.
    <form
      ref={draft.ref}
      id="add-form"
      aria-label="Basket"
      method="post"
      action="#add-form"
      noValidate
      onSubmit={send}
      className="scroll-mt-12"
    >
      {search.get('done') === 'added' && !rejected && !rejectedOrder && (
        <Notice done>{`${addedToBasket}.`}</Notice>
      )}
      {formError && (
        <Notice error noFocus={!isSubmitted}>
          {formError}
        </Notice>
      )}
      <HiddenFields form={{ name: addForm.name, viewer }} />
      <input type="hidden" name="orderId" value={product._id} />
      <input type="hidden" name="range" value={formatRange(product)} />
      <KeyField value={key} onChange={setKey} />
      <fieldset disabled={unconfirmed !== undefined} className="min-w-0">
        <Stepper id={quantityId} itemName={product.name} {...stepper} />
        <Button
          ref={button}
          type="submit"
          kind={inBasket ? 'plain' : 'primary'}
          busy={isBusy}
          aria-disabled={isBlocked}
          className="figures min-h-12 w-full"
        >
          {inBasket ? (
            <>
              <Icon name="done" className="text-verdigris" />
              <span>
                {`${inBasket} in your basket`}
                <span className="font-normal">{' · add more'}</span>
              </span>
            </>
          ) : (
            'Add to basket'
          )}
        </Button>
      </fieldset>
      {/* The height is the same with and without the link to the basket, so that nothing moves. */}
      <p className="mt-3 flex min-h-12 items-center justify-center">
        {inBasket ? (
          <ButtonLink to={basketPage} className="min-h-12 w-full">
            View your basket
          </ButtonLink>
        ) : (
          <a href="#order-form" className="link link-alone text-sm">
            Or order without the basket
          </a>
        )}
      </p>
      {isButtonAbove && (
        <div className="buy-bar figures">
          <p className="min-w-0 grow leading-tight">
            <span className="block font-serif text-lg">
              {count === undefined ? '–' : money.charged(calculateTotal(product.price, count))}
            </span>
            {inBasket ? (
              <Link to={basketPage} className="link text-sm">{`${inBasket} in your basket`}</Link>
            ) : (
              <span className="text-sm text-soft">{count === undefined ? '' : `for ${count}`}</span>
            )}
          </p>
          <Button type="submit" busy={isBusy} disabled={unconfirmed !== undefined} aria-disabled={isBlocked}>
            {inBasket ? `Add ${count ?? ''} more` : 'Add to basket'}
          </Button>
        </div>
      )}
    </form>
  );
}
