import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import { myOrdersPage } from '../../contract/page-addresses.ts';
import { loaderContext } from '../client/route-context.ts';
import { BesideDrawing } from '../components/beside-drawing.tsx';
import { Button } from '../components/button.tsx';
import { ResultPage } from '../components/feedback/result-page.tsx';
import { Link } from '../components/link.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import letter from '../drawings/letter.svg';
import { Field, TextArea } from '../forms/fields/field.tsx';
import { usePostedForm } from '../forms/use-posted-form.tsx';
import { useSettings } from '../shop.tsx';
import { Component as NotFound } from './not-found.tsx';

export function loader({ context }: LoaderFunctionArgs) {
  return { email: context.get(loaderContext).viewer?.email ?? '' };
}

export function Component() {
  const { email } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const form = usePostedForm('contact', ['email', 'message']);
  const isOffered = useSettings().contact;
  if (!isOffered) return <NotFound />;
  if (search.get('done') && !form.isRejected)
    return (
      <ResultPage title="Message sent" text="Thank you. We’ll answer at the email address that you gave." />
    );
  return (
    <BesideDrawing drawing={letter}>
      <PageHeading title="Contact us" description="Send us a message." />
      <p className="mb-8 text-soft">
        Ask us about a tool or an order. We’ll answer by email. An order’s state and its tracking link are
        under{' '}
        <Link to={myOrdersPage} className="link">
          My Orders
        </Link>
        .
      </p>
      <form method="post" noValidate>
        {form.messages}
        <Field
          label="Email"
          type="email"
          autoComplete="email"
          maxLength={254}
          {...form.field('email', email)}
        />
        <TextArea label="Message" rows={8} maxLength={2000} {...form.field('message')} />
        <Button type="submit">Send</Button>
      </form>
    </BesideDrawing>
  );
}
