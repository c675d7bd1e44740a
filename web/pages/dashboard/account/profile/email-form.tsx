import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Viewer } from '../../../../../contract/pages.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { ErrorSummary } from '../../../../forms/error-summary.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import { OwnPassword } from '../../../../forms/fields/own-password.tsx';
import { useRejectedForm, useShopForm } from '../../../../forms/use-shop-form.ts';
import { emailForm } from './email.ts';
import { profilePath } from './profile.ts';

/** Requests a change of the account's email address, which a link to the new address completes. */
export function EmailForm({ viewer, hasPassword }: { viewer: Viewer; hasPassword: boolean }) {
  const form = useShopForm(emailForm, useRejectedForm(emailForm.name));
  const { isSubmitting, submitCount } = form.formState;
  const [search] = useSearchParams();
  // After a plain post, the page does not know the address.
  const [sentTo, setSentTo] = useState(search.get('done') === emailForm.doneCode ? 'the new address' : '');

  const send = form.handleSubmit(async (values) => {
    setSentTo('');
    try {
      await emailForm.send(getSession(), values);
      setSentTo(values.newEmail);
      form.reset({ newEmail: '', password: '' });
    } catch (error) {
      form.showError(error);
    }
  });

  return (
    <form method="post" action={profilePath} noValidate onSubmit={send} onInput={() => setSentTo('')}>
      <input type="hidden" name="viewer" value={viewer._id} />
      <input type="hidden" name="form" value={emailForm.name} />
      <h3 className="mb-4 text-xl">Change email address</h3>
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
      <Field label="New email address" type="email" autoComplete="off" {...form.field('newEmail')} />
      <OwnPassword email={viewer.email} hasPassword={hasPassword} field={form.field('password')} />
      <Button type="submit" kind="plain" busy={isSubmitting}>
        Send a link to the new address
      </Button>
      <div role="alert">{form.root && <ErrorMessage>{form.root}</ErrorMessage>}</div>
      <div role="status" className="mt-4">
        {sentTo && (
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
