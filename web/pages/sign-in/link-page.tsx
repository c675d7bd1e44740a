import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { Link } from '../../components/link.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { ErrorMessage } from '../../forms/fields/error-message.tsx';
import type { ShopForm } from '../../forms/shop-form.ts';
import { SignInLayout } from './sign-in-layout.tsx';
import { useLinkForm } from './use-link-form.ts';

type Props = {
  title: string;
  description: string;
  createForm: (search: URLSearchParams) => ShopForm<object>;
  button: string;
  /** Shown after success. */
  done: ReactNode;
  /** Explains the button. */
  children: ReactNode;
};

/** The page of a link in a message, with a button that does what the link is for. */
export function LinkPage({ title, description, createForm, button, done, children }: Props) {
  const { form, send, isDone } = useLinkForm(createForm);
  return (
    <SignInLayout>
      <PageHeading title={title} description={description} />
      {isDone ? (
        <Notice done announced>
          {done}
        </Notice>
      ) : (
        <form method="post" noValidate onSubmit={send}>
          <p className="mb-6 text-soft">{children}</p>
          <Button type="submit" busy={form.formState.isSubmitting} className="w-full">
            {button}
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
