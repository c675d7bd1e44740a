import type { Product } from '../../../../../contract/catalogue/products.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Icon } from '../../../../components/layout/icon.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { archiveForm } from './archive.ts';

type Props = { product: Product; viewer: Viewer };

/** Archives or restores a product. The form is folded: unfolding it is the confirmation, which needs no script. */
export function ArchiveForm({ product, viewer }: Props) {
  const { _id, name, version, archived } = product;
  const toast = useToast();
  const form = usePageForm(archiveForm, {
    viewer,
    onDone() {
      toast(archived ? `${name} is back in the shop.` : `${name} is archived.`);
      document.querySelector('h1')?.focus();
    },
  });

  return (
    <details open={form.root !== undefined} className="group mt-12 border-t-2 border-edge">
      <summary className="flex min-h-12 list-none items-center justify-between font-serif text-xl [&::-webkit-details-marker]:hidden">
        {archived ? 'Put it back on sale' : 'Take it off sale'}
        <Icon name="unfold" className="text-base text-blued group-open:rotate-180" />
      </summary>
      <form {...form.props} className="max-w-text pt-3">
        <FormStart form={form} version={version} />
        <input type="hidden" name="product" value={_id} />
        <input type="hidden" name="archived" value={String(!archived)} />
        <p className="mb-4 text-soft">
          {archived
            ? 'It appears in the shop again, with the price and stock shown above.'
            : 'It disappears from the shop and from baskets, and cannot be ordered. Existing orders can still be paid and shipped. You can restore it at any time.'}
        </p>
        <Button type="submit" kind={archived ? 'plain' : 'danger'} busy={form.isBusy}>
          {archived ? 'Restore the product' : 'Archive the product'}
        </Button>
      </form>
    </details>
  );
}
