import { useState } from 'react';
import { useRevalidator, useSearchParams } from 'react-router';
import type { Viewer } from '../../../../../contract/pages.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { useDraft } from '../../../../forms/draft.ts';
import { AddressField } from '../../../../forms/fields/address-field.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import { FormHead } from '../../../../forms/form-head.tsx';
import { useRejectedForm, useShopForm } from '../../../../forms/use-shop-form.ts';
import { createProfileForm, profilePath } from './profile.ts';

/** The user's contact details, which prefill order forms. */
export function ProfileForm({ viewer }: { viewer: Viewer }) {
  const { email, name, address, phone, education, linkedIn } = viewer;
  const definition = createProfileForm(viewer);
  const form = useShopForm(definition, useRejectedForm(definition.name));
  const { isSubmitting } = form.formState;
  const [search] = useSearchParams();
  const [saved, setSaved] = useState(search.get('done') === definition.doneCode);
  const { revalidate } = useRevalidator();
  const toast = useToast();
  const draft = useDraft(email);

  const send = form.handleSubmit(async (values) => {
    setSaved(false);
    try {
      await definition.send(getSession(), values);
      toast('Profile information added');
      setSaved(true);
    } catch (error) {
      if (!(await draft.saveAndSignIn(error))) form.showError(error);
      return;
    }
    // Other forms start from the saved values. If this fails, the next page load fetches them.
    await getSession()
      .refresh()
      .then(revalidate)
      .catch(() => {});
  });

  return (
    <form
      ref={draft.ref}
      method="post"
      action={profilePath}
      noValidate
      onSubmit={send}
      onInput={() => setSaved(false)}
      className="max-w-page"
    >
      <FormHead form={form} draft={draft} viewer={viewer} keepsInput />
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
          <StatusBadge tone="done">Saved. Your next order form will have this address and phone.</StatusBadge>
        )}
      </p>
    </form>
  );
}
