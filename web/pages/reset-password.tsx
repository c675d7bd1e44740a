import { useNavigate, useSearchParams } from 'react-router';
import { getSession } from '../client/session.ts';
import { Button } from '../components/button.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { ErrorMessage } from '../forms/error-message.tsx';
import { ErrorSummary } from '../forms/error-summary.tsx';
import { PasswordField } from '../forms/password-field.tsx';
import { useRejectedForm, useShopForm } from '../forms/use-shop-form.ts';
import { createResetForm, passwordHint } from './sign-in/forms.ts';
import { SignInLayout, SwitchFormLink } from './sign-in/sign-in-layout.tsx';

/**
 * The page that the link in a message opens. Mail scanners open links, too, so opening it changes nothing and doesn't even
 * check the token.
 */
export function Component() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const definition = createResetForm(search);
  const form = useShopForm(definition, useRejectedForm(definition.name));
  const { isSubmitting, submitCount } = form.formState;

  const send = form.handleSubmit(async (values) => {
    try {
      await definition.send(getSession(), values);
      await getSession().refresh();
      // Removes the link from the browser's history.
      await navigate(`${definition.redirectTo}?done=${definition.doneCode}`, { replace: true });
    } catch (error) {
      form.showError(error);
    }
  });

  return (
    <SignInLayout>
      <PageHeading
        title="Choose a new password"
        description="This signs you out everywhere. Then sign in with the new password."
      />
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
      <form method="post" noValidate onSubmit={send}>
        <PasswordField
          label="New password"
          autoComplete="new-password"
          enterKeyHint="go"
          hint={passwordHint}
          {...form.field('newPassword')}
        />
        <Button type="submit" busy={isSubmitting} className="w-full">
          Change password
        </Button>
        <div role="alert">{form.root && <ErrorMessage>{form.root}</ErrorMessage>}</div>
      </form>
      <SwitchFormLink question="The link no longer works?" to="/forgot-password">
        Get a new one
      </SwitchFormLink>
    </SignInLayout>
  );
}
