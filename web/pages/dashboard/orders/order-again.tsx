import { useNavigate } from 'react-router';
import { orderPages } from '../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../contract/pages.ts';
import { setBasketLines } from '../../../client/basket-quantities.ts';
import { Button } from '../../../components/button.tsx';
import { HiddenFields } from '../../../forms/fields/hidden-fields.tsx';
import { useButtonForm } from '../../../forms/use-button-form.ts';
import { againForm } from './again.ts';

function useOrderAgain(viewer: Viewer) {
  const navigate = useNavigate();
  return useButtonForm(againForm, {
    viewer,
    onDone(basket, donePage) {
      setBasketLines(basket.lines);
      return navigate(donePage);
    },
  });
}

/** Orders a purchase again: a form with one button. */
export function OrderAgain({
  number,
  viewer,
  kind = 'primary',
}: {
  number: string;
  viewer: Viewer;
  kind?: 'primary' | 'plain';
}) {
  const form = useOrderAgain(viewer);
  return (
    <form {...form.props} action={`${orderPages}/${number}`}>
      <HiddenFields form={form} />
      <input type="hidden" name="number" value={number} />
      <Button type="submit" busy={form.isBusy} kind={kind}>
        Order again
      </Button>
    </form>
  );
}

const rowsFormId = 'again';

/** The form that every `OrderAgainButton` in a list submits. The buttons may be inside another form. */
export function OrderAgainRows({ viewer }: { viewer: Viewer }) {
  const form = useOrderAgain(viewer);
  return (
    <form {...form.props} id={rowsFormId}>
      <HiddenFields form={form} />
    </form>
  );
}

/** Needs `OrderAgainRows` on the page. `purpose` tells screen readers which purchase it is. */
export function OrderAgainButton({
  number,
  purpose,
  kind,
}: {
  number: string;
  purpose: string;
  kind: 'primary' | 'plain';
}) {
  return (
    <Button type="submit" form={rowsFormId} name="number" value={number} kind={kind}>
      Order again<span className="sr-only">{` ${purpose}`}</span>
    </Button>
  );
}
