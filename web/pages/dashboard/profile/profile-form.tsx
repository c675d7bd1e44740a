import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useRevalidator } from 'react-router';
import type { Viewer } from '../../../../contract/pages.ts';
import { profile } from '../../../../contract/users.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorSummary } from '../../../components/error-summary.tsx';
import { Field } from '../../../components/field.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Restored } from '../../../components/restored.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { useToast } from '../../../components/toast.tsx';
import { useDraft } from '../../../draft.ts';
import { bySchema } from '../../../form.ts';
import { listErrors, showRefusal } from '../../../form-errors.ts';
import { session } from '../../../session.ts';

const fields = ['address', 'phone', 'education', 'linkedIn'];

/** What the shop knows of a person; orders are prefilled with it. */
export function ProfileForm({ viewer }: { viewer: Viewer }) {
  const { email, name, address, phone, education, linkedIn } = viewer;
  const form = useForm({
    resolver: bySchema(profile),
    defaultValues: { address, phone, education, linkedIn },
    shouldFocusError: false,
  });
  const { errors, isSubmitting, submitCount } = form.formState;
  const [saved, setSaved] = useState(false);
  const { revalidate } = useRevalidator();
  const toast = useToast();
  const draft = useDraft(email);

  const send = form.handleSubmit(async (filled) => {
    setSaved(false);
    try {
      const body = { ...filled, user: email, name };
      await session().client.call('saveUser', { params: { email }, body });
      toast('Profile information added');
      setSaved(true);
    } catch (error) {
      if (!(await draft.leave(error))) showRefusal(form, error);
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
      noValidate
      onSubmit={send}
      onInput={() => setSaved(false)}
      className="max-w-page"
    >
      {draft.restored && <Restored />}
      <ErrorSummary errors={listErrors(errors, fields)} tries={submitCount} />
      {errors.root && <Notice wrong>{errors.root.message}</Notice>}
      <div className="grid gap-x-6 sm:grid-cols-2">
        <Field label="Name" name="name" value={name} maxLength={20} readOnly autoComplete="name" />
        <Field label="Email" name="email" type="email" value={email} readOnly autoComplete="email" />
        <Field
          label="Address"
          maxLength={300}
          autoComplete="street-address"
          defaultValue={address}
          error={errors.address?.message}
          {...form.register('address')}
        />
        <Field
          label="Phone"
          type="tel"
          maxLength={300}
          autoComplete="tel"
          defaultValue={phone}
          error={errors.phone?.message}
          {...form.register('phone')}
        />
        <Field
          label="Education"
          maxLength={300}
          autoComplete="off"
          defaultValue={education}
          error={errors.education?.message}
          {...form.register('education')}
        />
        <Field
          label="LinkedIn"
          inputMode="url"
          maxLength={300}
          autoComplete="url"
          defaultValue={linkedIn}
          error={errors.linkedIn?.message}
          {...form.register('linkedIn')}
        />
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
