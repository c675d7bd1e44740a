import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { findAccountPage } from '../../client/account-page.ts';
import { useViewer } from '../../client/viewer.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { Link } from '../../components/link.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import type { PageForm } from '../../forms/page-form.ts';
import { FormStart } from '../../forms/use-page-form.tsx';
import { SignInLayout } from './sign-in-layout.tsx';
import { useSessionForm } from './use-session-form.ts';

type Props = {
  title: string;
  description: string;
  form: PageForm;
  /** The `?done=` code after success. */
  doneCode: string;
  button: string;
  /** Shown after success. */
  done: ReactNode;
  /** Explains the button. */
  children: ReactNode;
};

/** The page of a link in a message, with a button that does what the link is for. */
export function LinkPage({ title, description, form: definition, doneCode, button, done, children }: Props) {
  const form = useSessionForm(definition);
  const accountPage = findAccountPage(useViewer());
  const [search] = useSearchParams();
  const isDone = search.get('done') === doneCode;
  return (
    <SignInLayout>
      <PageHeading title={title} description={description} />
      {isDone ? (
        <Notice done announced>
          {done}
        </Notice>
      ) : (
        <form {...form.props}>
          <FormStart form={form} />
          <p className="mb-6 text-soft">{children}</p>
          <Button type="submit" busy={form.isBusy} className="w-full">
            {button}
          </Button>
        </form>
      )}
      <p className="mt-6 text-sm">
        {isDone ? '' : 'The link no longer works? Get a new one from '}
        <Link to={accountPage} className="link link-alone">
          {isDone ? 'Go to your account' : 'your account'}
        </Link>
      </p>
    </SignInLayout>
  );
}
