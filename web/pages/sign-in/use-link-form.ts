import type { FieldValues } from 'react-hook-form';
import { useNavigate, useSearchParams } from 'react-router';
import { getSession } from '../../client/session.ts';
import type { ShopForm } from '../../forms/shop-form.ts';
import { useRejectedForm, useShopForm } from '../../forms/use-shop-form.ts';

/**
 * The form of a page that the link in a message opens. Mail scanners open links, too, so only `send` changes anything, and
 * the page doesn't even check the token.
 */
export function useLinkForm<Values extends FieldValues>(
  createForm: (search: URLSearchParams) => ShopForm<Values>,
) {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const definition = createForm(search);
  const form = useShopForm(definition, useRejectedForm(definition.name));
  const send = form.handleSubmit(async (values) => {
    try {
      await definition.send(getSession(), values);
      await getSession().refresh();
      // Removes the link from the browser's history.
      await navigate(`${definition.redirectTo}?done=${definition.doneCode}`, { replace: true });
    } catch (error) {
      form.showError(error);
    }
  });
  return { form, send, isDone: search.get('done') === definition.doneCode };
}
