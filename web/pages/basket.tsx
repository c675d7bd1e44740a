import { type FormEvent, useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import { formatQuantity } from '../../contract/admin/health-format.ts';
import { nameCountry } from '../../contract/delivery/countries.ts';
import type { DeliveryEstimate } from '../../contract/delivery/quotes.ts';
import type { Basket } from '../../contract/orders/purchases.ts';
import { productsPage } from '../../contract/page-addresses.ts';
import { isSignedOut } from '../client/api/api-errors.ts';
import type { Client } from '../client/api/client.ts';
import { getErrorMessage } from '../client/api/error-message.ts';
import { createFormKey } from '../client/api/idempotency.ts';
import { setBasketLines } from '../client/basket-quantities.ts';
import { loadDelivery } from '../client/last-delivery.ts';
import { openDocument } from '../client/open-document.ts';
import { requireViewer } from '../client/route-access.ts';
import { loaderContext } from '../client/route-context.ts';
import { getSession } from '../client/session.ts';
import { Button, ButtonLink } from '../components/button.tsx';
import { CardMarks } from '../components/card-marks.tsx';
import { DeliveryNote } from '../components/delivery/delivery-note.tsx';
import { describeDestinations } from '../components/delivery/destinations.ts';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { Notice } from '../components/feedback/notice.tsx';
import { RestoredNotice } from '../components/feedback/restored-notice.tsx';
import { useToast } from '../components/feedback/toast.tsx';
import { CategoryLinks } from '../components/layout/category-links.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { PromiseList } from '../components/promises.tsx';
import { useDraft } from '../forms/draft.ts';
import { DeliveryFields } from '../forms/fields/delivery-fields.tsx';
import { getFirstMessage, type RejectedForm } from '../forms/form-results.ts';
import { getText } from '../forms/page-form.ts';
import { useRejectedForm } from '../forms/use-rejected-form.ts';
import { useAllStyles, useMoney, useSettings } from '../shop.tsx';
import { BasketLineForm } from './basket/basket-line.tsx';
import { describeChanges } from './basket/changes.ts';
import {
  formatEdits,
  formatLines,
  lineForm,
  listShownLines,
  parseEdits,
  parseLines,
  placeForm,
  sumLines,
} from './basket/forms.ts';
import { Suggestions } from './basket/suggestions.tsx';
import { useBasket } from './basket/use-basket.ts';
import {
  describeNextPage,
  explainUnknownOutcome,
  isOutcomeUnknown,
  labelOrderButton,
  parseQuantity,
} from './purchase/order.ts';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = requireViewer(args);
  const { client, settings } = args.context.get(loaderContext);
  const [basket, delivery] = await Promise.all([client.call('getBasket', {}), loadDelivery(client, viewer)]);
  const limits = settings.delivers && (await loadLimits(client, basket));
  return { viewer, basket, delivery, limits, formKey: createFormKey() };
}

/** Where the shop delivers, as a sentence, and the names by code of the countries that the lines name. */
async function loadLimits(client: Client, { lines, delivery }: Basket) {
  const { zones } = await client.call('getShipping', {});
  const codes = lines.flatMap(({ product }) => product.notTo?.split(' ') ?? []);
  const names = [...codes, delivery?.country ?? '']
    .filter(Boolean)
    .map((code): [string, string] => [code, nameCountry(code)]);
  return { sentence: describeDestinations(zones), countries: Object.fromEntries(names) };
}

const basketChanged =
  'Your basket has changed, so nothing has been ordered yet. Check it and place the order again.';

type Failure = { message: string; changes: string[] };

export function Component() {
  const { viewer, basket: loaded, delivery, limits, formKey } = useLoaderData<typeof loader>();
  const rejected = useRejectedForm('place');
  const rejectedLine = useRejectedForm(lineForm.name);
  const [search] = useSearchParams();
  const money = useMoney();
  const settings = useSettings();
  const toast = useToast();
  const draft = useDraft(viewer.email);
  const shopBasket = useBasket(loaded, draft.signIn);
  const { basket, edits, messages } = shopBasket;
  // Keep one key while the form is mounted: revalidation would replace it.
  const [key, setKey] = useState(rejected?.values.key || formKey);
  const [failure, setFailure] = useState(() => rejected && toFailure(rejected, loaded, money.charged));
  const [attempts, setAttempts] = useState(0);
  const [busy, setBusy] = useState(false);
  const [hadLines] = useState(loaded.lines.length > 0);
  /** The id of the product that is being removed. */
  const [removing, setRemoving] = useState<string>();
  /** An order whose response was lost. Resending the same values cannot order twice, so the values cannot be edited. */
  const [unconfirmed, setUnconfirmed] = useState<FormData>();

  const { lines, currency } = basket;
  const shown = listShownLines(basket);
  const isInvalid = (id: string) => {
    const { o_quantity = 0, a_quantity = 0 } = lines.find(({ product }) => product._id === id)?.product ?? {};
    const text = edits.get(id)?.text;
    return text !== undefined && parseQuantity({ o_quantity, a_quantity }, text) === undefined;
  };
  const invalidIds = lines
    .filter(({ product, problem }) => problem || isInvalid(product._id))
    .map(({ product }) => product._id);
  const isBlocked = invalidIds.length > 0;
  /** The lines in the shown total, with the quantities as typed. */
  const counted = shown
    .filter(({ orderId }) => !invalidIds.includes(orderId))
    .map((line) => ({
      ...line,
      orderQuantity: Number(edits.get(line.orderId)?.text ?? line.orderQuantity),
    }));

  async function setQuantity(id: string, quantity: number) {
    // The pressed button disappears with the line's problem.
    if (await shopBasket.save(id, quantity)) document.getElementById(`line-${id}`)?.focus();
  }

  async function remove(id: string, name: string) {
    const at = lines.findIndex(({ product }) => product._id === id);
    const next = lines[at + 1] ?? lines[at - 1];
    setRemoving(id);
    const isRemoved = await shopBasket.remove(id);
    setRemoving(undefined);
    if (!isRemoved) return;
    const { problem, quantity } = lines[at] ?? {};
    const undo = quantity !== undefined && !problem && (
      <button
        type="button"
        className="link link-alone cursor-pointer"
        onClick={() => void putBack(id, name, quantity)}
      >
        Undo<span className="sr-only">{` the removal of ${name}`}</span>
      </button>
    );
    toast(`${name} was removed from your basket.`, 'undo', undo);
    const target = next && document.getElementById(`line-${next.product._id}`);
    (target ?? document.querySelector('h1'))?.focus();
  }

  async function putBack(id: string, name: string, quantity: number) {
    if (!(await shopBasket.save(id, quantity))) return toast(`${name} could not be put back.`, 'wrong');
    toast(`${name} is in your basket again.`);
    document.getElementById(`line-${id}`)?.focus();
  }

  function fail(message: string, changes: string[]) {
    setFailure({ message, changes });
    setAttempts(attempts + 1);
    setBusy(false);
  }

  async function place(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const formData = unconfirmed ?? new FormData(event.currentTarget);
    if (isBlocked) {
      document.getElementById(`line-${invalidIds[0]}`)?.focus();
      return;
    }
    // Set the lines before the edits are saved, because the responses may contain prices that the customer has not seen.
    if (!unconfirmed) formData.set('lines', formatLines(counted));
    const listChanges = () =>
      describeChanges(parseLines(getText(formData, 'lines')), shopBasket.read(), money.charged);
    setBusy(true);
    setFailure(undefined);
    if (!unconfirmed && !(await shopBasket.saveEdits())) return setBusy(false);
    shopBasket.pause(true);
    if (!unconfirmed) {
      const reloadError = await shopBasket.reload().catch((error: unknown) => ({ error }));
      if (reloadError && isSignedOut(reloadError.error)) return draft.signIn();
      const changes = listChanges();
      if (reloadError || changes.length > 0) {
        shopBasket.pause(false);
        return fail(reloadError ? getErrorMessage(reloadError.error) : basketChanged, changes);
      }
    }
    const result = await placeForm.send(getSession(), viewer, formData);
    if (result.isDone) {
      setBasketLines([]);
      const isStopped = await openDocument(result.donePage());
      // After the user has stopped the loading, a further click opens the same order.
      setUnconfirmed(isStopped ? formData : undefined);
      if (!isStopped) setKey(createFormKey());
      setBusy(false);
      return shopBasket.pause(isStopped);
    }
    if (isSignedOut(result.error)) return draft.signIn();
    const isUnknown = isOutcomeUnknown(result.error, unconfirmed !== undefined);
    setUnconfirmed(isUnknown ? formData : undefined);
    shopBasket.pause(isUnknown);
    if (!isUnknown) await shopBasket.reload().catch(() => undefined);
    fail(isUnknown ? explainUnknownOutcome(settings) : getFirstMessage(result), listChanges());
  }

  const pieces = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const isEmpty = lines.length === 0 && unconfirmed === undefined;
  const orphaned = rejectedLine && !lines.some(({ product }) => product._id === rejectedLine.values.product);
  return (
    <>
      <link rel="stylesheet" href={useAllStyles()} precedence="default" />
      <PageHeading title="Basket" description="The tools you have collected, ready to order together.">
        Basket
        {pieces > 0 && (
          // The same words as in the header.
          <span className="figures font-sans text-base text-soft">{`, ${formatQuantity(pieces, 'piece')}`}</span>
        )}
      </PageHeading>
      {search.get('done') === 'changed' && !rejected && !rejectedLine && (
        <Notice done>Your basket is up to date.</Notice>
      )}
      {search.get('done') === 'again' && !rejected && !rejectedLine && (
        <Notice done>The tools of that order are in your basket again, at today’s prices.</Notice>
      )}
      {orphaned && (
        <Notice error noFocus>
          {getFirstMessage(rejectedLine)}
        </Notice>
      )}
      {failure && (
        <Notice key={attempts} error noFocus={attempts === 0}>
          <p className="font-medium">{failure.message}</p>
          {failure.changes.length > 0 && (
            <ul className="mt-2 text-sm">
              {failure.changes.map((change) => (
                <li key={change}>{change}</li>
              ))}
            </ul>
          )}
        </Notice>
      )}
      {isEmpty && (
        <EmptyState title="Your basket is empty">
          <p className="mb-6">Collect tools here and order them together, with one payment.</p>
          <ButtonLink to={productsPage}>Browse the products</ButtonLink>
          <CategoryLinks className="mt-6 flex flex-wrap justify-center gap-x-6 text-blued" />
        </EmptyState>
      )}
      {(!isEmpty || hadLines) && (
        // On phones the form dissolves (`contents`), so that its last part sticks to the bottom of the screen. It stays when the
        // last line is removed, because Undo must not lose what was typed.
        <div
          hidden={isEmpty}
          className="checkout @container flex flex-col lg:grid lg:grid-cols-[minmax(0,1fr)_26rem] lg:grid-rows-[auto_1fr] lg:items-start lg:gap-x-12"
        >
          {/* The margins keep a focused control, and the error below it, above the bar at the bottom of a phone. */}
          <fieldset disabled={busy || unconfirmed !== undefined} aria-label="Tools" className="min-w-0">
            <ul className="mb-10 [&_:is(a,button)]:scroll-mb-40 [&_:is(h2,input)]:scroll-mb-60 [&_p]:scroll-mb-40">
              {lines.map((line) => {
                const { _id, name } = line.product;
                const isRejected = rejectedLine?.values.product === _id;
                return (
                  <BasketLineForm
                    key={_id}
                    line={line}
                    isLeaving={removing === _id}
                    viewerId={viewer._id}
                    countries={limits?.countries}
                    typed={edits.get(_id)?.text}
                    message={
                      messages.get(_id) ??
                      (isRejected ? (rejectedLine.root ?? rejectedLine.errors.quantity) : undefined)
                    }
                    onEdit={(text) => shopBasket.edit(_id, text)}
                    onCommit={() => void (edits.has(_id) && shopBasket.saveEdit(_id))}
                    onSet={(quantity) => void setQuantity(_id, quantity)}
                    onRemove={() => void remove(_id, name)}
                  />
                );
              })}
            </ul>
          </fieldset>
          <form
            ref={draft.ref}
            method="post"
            noValidate
            onSubmit={place}
            className="contents lg:sticky lg:top-6 lg:row-span-2 lg:block lg:border-t-2 lg:border-edge lg:pt-4"
          >
            <div>
              {draft.restored && <RestoredNotice />}
              <input type="hidden" name="form" value={placeForm.name} />
              <input type="hidden" name="viewer" value={viewer._id} />
              <input type="hidden" name="key" value={key} />
              <input type="hidden" name="lines" value={formatLines(shown)} />
              {/* The draft covers only this form, and the quantities belong to other forms. */}
              <input
                type="text"
                hidden
                name="edits"
                autoComplete="off"
                value={formatEdits(edits)}
                onChange={({ currentTarget }) => {
                  for (const [id, text] of parseEdits(currentTarget.value)) shopBasket.edit(id, text);
                }}
              />
              <h2 id="delivery" className="mb-1 text-xl">
                {settings.delivers ? 'Your order' : 'Where to send it'}
              </h2>
              <p className="mb-4 text-sm text-soft wrap-anywhere">{`Ordered by ${viewer.name}, ${viewer.email}`}</p>
              <fieldset
                disabled={unconfirmed !== undefined}
                aria-labelledby="delivery"
                className="max-lg:[&_:is(input,textarea)]:scroll-mb-40"
              >
                <DeliveryFields
                  initial={{ ...delivery, ...rejected?.values }}
                  errors={rejected?.errors ?? {}}
                />
              </fieldset>
            </div>
            <div
              id="order-bar"
              className="sticky bottom-0 z-20 -mx-4 flex flex-wrap items-center gap-x-6 gap-y-1 border-t border-edge bg-paper px-4 py-3 sm:-mx-8 sm:px-8 @max-[15rem]:static lg:static lg:mx-0 lg:block lg:border-rule lg:px-0"
            >
              <p className="figures lg:mb-4 lg:flex lg:items-baseline lg:justify-between">
                <span className="block text-sm text-soft">Total</span>
                <output className="font-serif text-xl">{money.charged(sumLines(counted), currency)}</output>
              </p>
              {basket.delivery && (
                <p className="figures font-serif text-xl lg:mb-4 lg:text-right">
                  <DeliveryNote estimate={basket.delivery} formatAmount={money.charged} />
                </p>
              )}
              <Button
                type="submit"
                busy={busy}
                aria-disabled={isBlocked}
                aria-describedby={isBlocked ? 'why-blocked' : undefined}
                className="w-full min-w-28 grow basis-0"
              >
                {labelOrderButton(settings)}
              </Button>
              {isBlocked && (
                <p id="why-blocked" className="basis-full text-sm text-ruby lg:mt-1">
                  {invalidIds.length > 1
                    ? `Change or remove the ${invalidIds.length} marked lines first.`
                    : 'Change or remove the marked line first.'}
                </p>
              )}
              <noscript>
                <p className="mt-1 text-sm text-soft">After changing a quantity, press Update first.</p>
              </noscript>
              <p className="mt-3 text-sm text-soft max-lg:hidden">{describeNextPage(settings)}</p>
            </div>
            {limits && (
              <section aria-label="Delivery and payment" className="mt-6 text-sm">
                {basket.delivery && (
                  <p className="mb-2">{describeEstimate(basket.delivery, limits.countries)}</p>
                )}
                {limits.sentence && <p className="mb-2">{limits.sentence}</p>}
                <p className="mb-2">You can pay by card:</p>
                <CardMarks />
              </section>
            )}
            <PromiseList className="mt-6" />
          </form>
          <div className="lg:col-start-1">
            <Suggestions lines={lines} />
          </div>
        </div>
      )}
    </>
  );
}

function describeEstimate(
  { country, price, pickup }: DeliveryEstimate,
  names: Record<string, string>,
): string {
  const name = names[country] ?? country;
  const first =
    price === undefined
      ? `We cannot deliver this basket to: ${name}.`
      : `The cost of delivery is for this country: ${name}. You can choose another on the next page.`;
  return pickup ? `${first} You can ${price === undefined ? '' : 'also '}collect your order.` : first;
}

/** Why a plain post was rejected, and what has changed since its page was rendered. */
function toFailure(
  { values, errors, root }: RejectedForm,
  basket: Basket,
  formatMoney: (amount: number) => string,
): Failure | undefined {
  const message = root ?? Object.values(errors)[0];
  if (message === undefined) return undefined;
  return { message, changes: describeChanges(parseLines(values.lines ?? ''), basket, formatMoney) };
}
