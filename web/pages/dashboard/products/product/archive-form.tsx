import { type FormEvent, useState } from 'react';
import type { Product } from '../../../../../contract/catalogue/products.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Icon } from '../../../../components/layout/icon.tsx';
import { useRejectedForm } from '../../../../forms/use-shop-form.ts';
import { createArchiveForm } from './edit.ts';

type Props = { product: Product; viewer: Viewer; onChanged: () => Promise<void> };

/** Archives or restores a product once its summary has been opened, which is the confirmation and needs no script. */
export function ArchiveForm({ product, viewer, onChanged }: Props) {
  const { _id, name, version, archived } = product;
  const definition = createArchiveForm(_id, !archived);
  const rejected = useRejectedForm(definition.name);
  const [error, setError] = useState(rejected?.root);
  const [submitted, setSubmitted] = useState(false);
  const [busy, setBusy] = useState(false);
  const toast = useToast();

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setSubmitted(true);
    setError(undefined);
    try {
      await definition.send(getSession(), { version, archived: !archived });
      toast(archived ? `${name} is back in the shop.` : `${name} is archived.`);
      document.querySelector('h1')?.focus();
    } catch (failure) {
      setError(getErrorMessage(failure));
    }
    await onChanged();
    setBusy(false);
  }

  return (
    <details open={error !== undefined} className="group mt-12 border-t-2 border-edge">
      <summary className="flex min-h-12 list-none items-center justify-between font-serif text-xl [&::-webkit-details-marker]:hidden">
        {archived ? 'Put it back on sale' : 'Take it off sale'}
        <Icon name="unfold" className="text-base text-blued group-open:rotate-180" />
      </summary>
      <form method="post" onSubmit={send} className="max-w-text pt-3">
        {error && (
          <Notice error noFocus={!submitted}>
            {error}
          </Notice>
        )}
        <input type="hidden" name="viewer" value={viewer._id} />
        <input type="hidden" name="form" value={definition.name} />
        <input type="hidden" name="version" value={version} />
        <input type="hidden" name="archived" value={String(!archived)} />
        <p className="mb-4 text-soft">
          {archived
            ? 'It appears in the shop again, with the price and stock shown above.'
            : 'It disappears from the shop and from baskets, and cannot be ordered. Existing orders can still be paid and shipped. You can restore it at any time.'}
        </p>
        <Button type="submit" kind={archived ? 'plain' : 'danger'} busy={busy}>
          {archived ? 'Restore the product' : 'Archive the product'}
        </Button>
      </form>
    </details>
  );
}
