import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { Note } from '../../../../../contract/orders/shipping.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { TextArea } from '../../../../forms/fields/field.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { noteForm } from './note.ts';

type Props = { purchase: Purchase; viewer: Viewer; formKey: string };

/** The admins' notes about a purchase, newest first, and a form for another. */
export function Notes({ purchase, viewer, formKey }: Props) {
  const { notes = [] } = purchase;
  return (
    <section aria-labelledby="notes" className="mb-10 border-t-2 border-edge pt-4 print:hidden">
      <h2 id="notes" className="mb-1 text-xl">
        Internal notes
      </h2>
      <p className="mb-4 text-sm text-soft">Only admins see them.</p>
      <NoteForm purchase={purchase} viewer={viewer} formKey={formKey} />
      <ul>
        {notes.map((note) => (
          <NoteItem key={note._id} note={note} />
        ))}
      </ul>
    </section>
  );
}

function NoteItem({ note: { text, who, createdAt } }: { note: Note }) {
  return (
    <li className="max-w-text border-t border-rule py-3">
      <p className="whitespace-pre-line wrap-anywhere">{text}</p>
      <p className="text-sm wrap-anywhere text-soft">
        {`${who} · `}
        <Moment at={createdAt} />
      </p>
    </li>
  );
}

function NoteForm({ purchase: { orders }, viewer, formKey }: Props) {
  const toast = useToast();
  const form = usePageForm(noteForm, {
    viewer,
    formKey,
    onDone(_, { reset }) {
      toast('Note saved.');
      reset();
    },
  });
  return (
    <form {...form.props} className="max-w-text">
      <FormStart form={form} keepsInput />
      <input type="hidden" name="order" value={orders[0]?._id} />
      <TextArea label="New note" rows={2} maxLength={2000} {...form.field('text')} />
      <Button type="submit" kind="plain" busy={form.isBusy} className="mb-6">
        Save note
      </Button>
    </form>
  );
}
