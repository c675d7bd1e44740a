import { useNavigate, useSearchParams } from 'react-router';
import { getSession } from '../client/session.ts';
import { Button } from '../components/button.tsx';
import { Notice } from '../components/feedback/notice.tsx';
import { Link } from '../components/link.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { ErrorMessage } from '../forms/error-message.tsx';
import { useRejectedForm, useShopForm } from '../forms/use-shop-form.ts';
import { createConfirmAddressForm } from './sign-in/forms.ts';
import { SignInLayout } from './sign-in/sign-in-layout.tsx';

/** The page that the link in a message opens. Mail scanners open links, too, so only its button changes anything. */
export function Component() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const definition = createConfirmAddressForm(search);
  const form = useShopForm(definition, useRejectedForm(definition.name));
  const isDone = search.get('done') === definition.doneCode;

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
        title="Confirm your email address"
        description="Confirm the email address of your account."
      />
      {isDone ? (
        <Notice done announced>
          Your email address is confirmed. Thank you!
        </Notice>
      ) : (
        <form method="post" noValidate onSubmit={send}>
          <p className="mb-6">Press the button to confirm the email address of your account.</p>
          <Button type="submit" busy={form.formState.isSubmitting} className="w-full">
            Confirm
          </Button>
          <div role="alert">{form.root && <ErrorMessage>{form.root}</ErrorMessage>}</div>
        </form>
      )}
      <p className="mt-6 text-sm">
        {isDone ? '' : 'The link no longer works? Get a new one from '}
        <Link to="/dashboard" className="link link-alone">
          {isDone ? 'Go to your profile' : 'your profile'}
        </Link>
      </p>
    </SignInLayout>
  );
}
