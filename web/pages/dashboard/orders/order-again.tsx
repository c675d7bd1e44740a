import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Viewer } from '../../../../contract/pages.ts';
import { getErrorMessage } from '../../../client/api/error-message.ts';
import { setBasketCount } from '../../../client/basket-count.ts';
import { getSession } from '../../../client/session.ts';
import { Button } from '../../../components/button.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { createAgainForm } from './again.ts';

function useOrderAgain() {
  const [busy, setBusy] = useState(false);
  const navigate = useNavigate();
  const toast = useToast();

  async function orderAgain(number: string): Promise<void> {
    if (busy) return;
    setBusy(true);
    const form = createAgainForm(number);
    try {
      const basket = await form.send(getSession(), undefined);
      setBasketCount(basket.lines.length);
      await navigate(`${form.redirectTo}?done=${form.doneCode}`);
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
    }
    setBusy(false);
  }

  return { busy, orderAgain };
}

/** A form with one button, for a purchase that has expired. */
export function OrderAgain({ number, viewer }: { number: string; viewer: Viewer }) {
  const { busy, orderAgain } = useOrderAgain();
  return (
    <form
      method="post"
      action={`/dashboard/orders/${number}`}
      onSubmit={(event) => {
        event.preventDefault();
        void orderAgain(number);
      }}
    >
      <AgainFields viewer={viewer} />
      <Button type="submit" busy={busy}>
        Order again
      </Button>
    </form>
  );
}

const rowsFormId = 'again';

/** The form of the buttons in a table, which may have another form around it. It is posted to the order's own page. */
export function OrderAgainRows({ viewer }: { viewer: Viewer }) {
  const { orderAgain } = useOrderAgain();

  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (submitter instanceof HTMLButtonElement) void orderAgain(submitter.value);
  }

  return (
    <form id={rowsFormId} method="post" onSubmit={send}>
      <AgainFields viewer={viewer} />
    </form>
  );
}

/** Needs `OrderAgainRows` on the page. `purpose` tells screen readers which purchase it is. */
export function OrderAgainButton({ number, purpose }: { number: string; purpose: string }) {
  return (
    <Button
      type="submit"
      form={rowsFormId}
      formAction={`/dashboard/orders/${number}`}
      name="number"
      value={number}
    >
      Order again<span className="sr-only">{` ${purpose}`}</span>
    </Button>
  );
}

function AgainFields({ viewer }: { viewer: Viewer }) {
  return (
    <>
      <input type="hidden" name="form" value="again" />
      <input type="hidden" name="viewer" value={viewer._id} />
    </>
  );
}
