import type { Viewer } from '../../../../../contract/pages.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { AddressField } from '../../../../forms/fields/address-field.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { useSettings } from '../../../../shop.tsx';
import { profilePath } from './account-path.ts';
import { profileForm } from './profile.ts';

/** The user's contact details, which prefill order forms. */
export function ProfileForm({ viewer }: { viewer: Viewer }) {
  const { email, name, address, phone, education, linkedIn } = viewer;
  const { delivers } = useSettings();
  const toast = useToast();
  const form = usePageForm(profileForm, {
    viewer,
    draft: '',
    onDone() {
      toast('Profile information added');
      // Other forms start from the saved values. If this fails, the next page load fetches them.
      return getSession()
        .refresh()
        .catch(() => {});
    },
  });

  return (
    <form {...form.props} action={profilePath} className="max-w-page">
      <FormStart form={form} keepsInput />
      <input type="hidden" name="savedLinkedIn" value={linkedIn} />
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
        <Button type="submit" busy={form.isBusy}>
          Save profile
        </Button>
        {form.isDone && (
          <StatusBadge tone="done">
            {delivers ? 'Saved.' : 'Saved. Your next order form will have this address and phone.'}
          </StatusBadge>
        )}
      </p>
    </form>
  );
}
