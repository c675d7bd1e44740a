import { useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { Note } from '../../../../../contract/orders/shipping.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { createFormKey } from '../../../../client/api/idempotency.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { useDraft } from '../../../../forms/draft.ts';
import { TextArea } from '../../../../forms/fields/field.tsx';
import { FormHead } from '../../../../forms/form-head.tsx';
import { useRejectedForm, useShopForm } from '../../../../forms/use-shop-form.ts';
import { createNoteForm } from './note.ts';

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

function NoteForm({ purchase: { number, orders }, viewer, formKey }: Props) {
  const rejected = useRejectedForm('note');
  const [key, setKey] = useState(rejected?.values.key || formKey);
  const definition = createNoteForm(number, orders[0]?._id ?? '', key);
  const form = useShopForm(definition, rejected);
  const { isSubmitting } = form.formState;
  const toast = useToast();
  const { revalidate } = useRevalidator();
  const draft = useDraft(viewer.email, 'note');

  const send = form.handleSubmit(async (values) => {
    try {
      await definition.send(getSession(), values);
    } catch (error) {
      if (await draft.saveAndSignIn(error)) return;
      form.showError(error);
      return;
    }
    toast('Note saved.');
    form.reset({ text: '' });
    setKey(createFormKey());
    await revalidate();
  });

  return (
    <form ref={draft.ref} method="post" noValidate onSubmit={send} className="max-w-text">
      <FormHead form={form} draft={draft} viewer={viewer} keepsInput />
      <input type="hidden" name="form" value={definition.name} />
      <input type="hidden" name="key" value={key} />
      <TextArea label="New note" rows={2} maxLength={2000} {...form.field('text')} />
      <Button type="submit" kind="plain" busy={isSubmitting} className="mb-6">
        Save note
      </Button>
    </form>
  );
}
