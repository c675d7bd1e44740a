import { useState } from 'react';
import { useRevalidator, useSearchParams } from 'react-router';
import type { Viewer } from '../../../../contract/pages.ts';
import { AddressField } from '../../../forms/address-field.tsx';
import { Button } from '../../../components/button.tsx';
import { ErrorSummary } from '../../../forms/error-summary.tsx';
import { Field } from '../../../forms/field.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Restored } from '../../../components/feedback/restored.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { useDraft } from '../../../forms/draft.ts';
import { session } from '../../../client/session.ts';
import { useRefused, useShopForm } from '../../../forms/use-shop-form.ts';
import { profileAddress, profileForm } from './profile.ts';

/** What the shop knows of a person; orders are prefilled with it. */
export function ProfileForm({ viewer }: { viewer: Viewer }) {
  const { email, name, address, phone, education, linkedIn } = viewer;
  const definition = profileForm(viewer);
  const form = useShopForm(definition, useRefused(definition.name));
  const { isSubmitting, submitCount } = form.formState;
  const [search] = useSearchParams();
  const [saved, setSaved] = useState(search.get('done') === definition.done);
  const { revalidate } = useRevalidator();
  const toast = useToast();
  const draft = useDraft(email);

  const send = form.handleSubmit(async (filled) => {
    setSaved(false);
    try {
      await definition.send(session(), filled);
      toast('Profile information added');
      setSaved(true);
    } catch (error) {
      if (!(await draft.leave(error))) form.showRefusal(error);
      return;
    }
    // The other forms start from what was saved. Where this fails, the next page load brings it.
    await session()
      .refresh()
      .then(revalidate)
      .catch(() => {});
  });

  return (
    <form
      ref={draft.ref}
      method="post"
      action={profileAddress}
      noValidate
      onSubmit={send}
      onInput={() => setSaved(false)}
      className="max-w-page"
    >
      {draft.restored && <Restored />}
      <ErrorSummary errors={form.listErrors()} tries={submitCount} />
      {form.root && (
        <Notice wrong still={submitCount === 0}>
          {form.root}
        </Notice>
      )}
      <input type="hidden" name="viewer" value={viewer._id} />
      <div className="grid gap-x-6 sm:grid-cols-2">
        <Field label="Name" name="name" value={name} maxLength={20} readOnly autoComplete="name" />
        <Field label="Email" name="email" type="email" value={email} readOnly autoComplete="email" />
        <AddressField label="Address" {...form.field('address', address)} />
        <div>
          <Field
            label="Phone"
            type="tel"
            maxLength={300}
            autoComplete="tel"
            {...form.field('phone', phone)}
          />
          <Field
            label="Education"
            maxLength={300}
            autoComplete="off"
            {...form.field('education', education)}
          />
        </div>
        <div className="sm:col-span-2">
          <Field
            label="LinkedIn"
            hint="The address of your profile, or your handle, such as in/name."
            inputMode="url"
            autoCapitalize="none"
            maxLength={300}
            autoComplete="url"
            {...form.field('linkedIn', linkedIn)}
          />
        </div>
      </div>
      <p className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <Button type="submit" busy={isSubmitting}>
          Save profile
        </Button>
        {saved && (
          <StatusBadge tone="done">Saved. Your next order starts with this address and phone.</StatusBadge>
        )}
      </p>
    </form>
  );
}
