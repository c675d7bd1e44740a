import { Button } from '../../../../components/button.tsx';
import { ErrorSummary } from '../../../../forms/error-summary.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { useShopForm } from '../../../../forms/use-shop-form.ts';
import { CodeField } from '../../../sign-in/code-field.tsx';
import { codeForm, enterCode } from './forms.ts';

type Props = { button: string; onEntered: () => Promise<void> };

/** Asks for a code from the authenticator app. */
export function CodeStep({ button, onEntered }: Props) {
  const form = useShopForm(codeForm, undefined);
  const { isSubmitting, submitCount } = form.formState;
  const send = form.handleSubmit(async ({ code }) => {
    try {
      await enterCode(code);
    } catch (error) {
      form.showError(error);
      return;
    }
    await onEntered();
  });
  return (
    <form noValidate onSubmit={send} className="noscript:hidden max-w-form">
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
      <CodeField {...form.field('code')} />
      <Button type="submit" busy={isSubmitting}>
        {button}
      </Button>
      <div role="alert">{form.root && <ErrorMessage>{form.root}</ErrorMessage>}</div>
    </form>
  );
}
