import { Button } from '../../../../components/button.tsx';
import { ErrorSummary } from '../../../../forms/error-summary.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import { OwnPassword } from '../../../../forms/fields/own-password.tsx';
import { useShopForm } from '../../../../forms/use-shop-form.ts';
import { addPasskey, passkeyForm } from './passkeys.ts';

type Props = { email: string; hasPassword: boolean; onAdded: () => Promise<void> };

export function PasskeyForm({ email, hasPassword, onAdded }: Props) {
  const form = useShopForm(passkeyForm, undefined);
  const { isSubmitting, submitCount } = form.formState;
  const send = form.handleSubmit(async (values) => {
    try {
      await addPasskey(values);
    } catch (error) {
      form.showError(error);
      return;
    }
    form.reset({ name: '', password: '' });
    await onAdded();
  });
  return (
    <form noValidate onSubmit={send} className="noscript:hidden max-w-form">
      <h2 className="mb-4 text-2xl">Add a passkey</h2>
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
      <Field
        label="Name"
        autoComplete="off"
        maxLength={100}
        hint="To recognize it later, such as “My phone”."
        {...form.field('name')}
      />
      <OwnPassword email={email} hasPassword={hasPassword} field={form.field('password')} />
      <Button type="submit" busy={isSubmitting}>
        Add a passkey
      </Button>
      <div role="alert">{form.root && <ErrorMessage>{form.root}</ErrorMessage>}</div>
    </form>
  );
}
