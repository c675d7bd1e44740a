import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import { OwnPassword } from '../../../../forms/fields/own-password.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { passkeyForm } from './passkeys.ts';

type Props = { viewer: Viewer; hasPassword: boolean; onAdded: () => Promise<void> };

export function PasskeyForm({ viewer, hasPassword, onAdded }: Props) {
  const form = usePageForm(passkeyForm, {
    viewer,
    onDone(_, { reset }) {
      reset();
      return onAdded();
    },
  });
  return (
    <form {...form.props} className="noscript:hidden max-w-form">
      <h2 className="mb-4 text-2xl">Add a passkey</h2>
      <FormStart form={form} />
      <Field
        label="Name"
        autoComplete="off"
        maxLength={100}
        hint="To recognize it later, such as “My phone”."
        {...form.field('name')}
      />
      <OwnPassword email={viewer.email} hasPassword={hasPassword} field={form.field('password')} />
      <Button type="submit" busy={form.isBusy}>
        Add a passkey
      </Button>
    </form>
  );
}
