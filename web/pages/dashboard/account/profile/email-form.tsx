import { useState } from 'react';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import { OwnPassword } from '../../../../forms/fields/own-password.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { useAccountAction } from './account-path.ts';
import { emailForm } from './email.ts';

/** Requests a change of the account's email address, which a link to the new address completes. */
export function EmailForm({ viewer, hasPassword }: { viewer: Viewer; hasPassword: boolean }) {
  // After a plain post, the page does not know the address.
  const [sentTo, setSentTo] = useState('the new address');
  const toast = useToast();
  const action = useAccountAction();
  const form = usePageForm(emailForm, {
    viewer,
    onDone(_, { reset, texts }) {
      toast('We’ve sent a link to the new address.');
      setSentTo(texts.newEmail ?? '');
      reset();
    },
  });

  return (
    <form {...form.props} action={action}>
      <h3 className="mb-4 text-xl">Change email address</h3>
      <FormStart form={form} />
      <Field label="New email address" type="email" autoComplete="off" {...form.field('newEmail')} />
      <OwnPassword email={viewer.email} hasPassword={hasPassword} field={form.field('password')} />
      <Button type="submit" kind="plain" busy={form.isBusy}>
        Send a link to the new address
      </Button>
      <div role="status" className="mt-4">
        {form.isDone && (
          <>
            <StatusBadge tone="done">Sent</StatusBadge>
            <p className="mt-2 text-sm text-soft">
              Open the link that we’ve sent to <span className="font-medium wrap-anywhere">{sentTo}</span>{' '}
              within one hour, while you’re signed in. Nothing changes until then. Nothing arrived? Check the
              address for typing errors, and your spam folder.
            </p>
          </>
        )}
      </div>
    </form>
  );
}
