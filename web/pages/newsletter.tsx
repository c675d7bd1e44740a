import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router';
import { loaderContext } from '../client/route-context.ts';
import { BesideDrawing } from '../components/beside-drawing.tsx';
import { Button } from '../components/button.tsx';
import { ResultPage } from '../components/feedback/result-page.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import letter from '../drawings/letter.svg';
import { Field } from '../forms/fields/field.tsx';
import { usePostedForm } from '../forms/use-posted-form.tsx';
import { useSettings } from '../shop.tsx';
import { Component as NotFound } from './not-found.tsx';

export function loader({ context }: LoaderFunctionArgs) {
  return { email: context.get(loaderContext).viewer?.email ?? '' };
}

/** The texts of the page after a post, by `?done=` code. */
const results: Record<string, { title: string; text: string }> = {
  sent: {
    title: 'Check your email',
    text: 'We’ve emailed you a link, which works for three days. Open it to subscribe. If it doesn’t arrive, check your spam folder.',
  },
  confirmed: {
    title: 'You’re subscribed',
    text: 'Every newsletter contains a link to unsubscribe.',
  },
};

export function Component() {
  const { email } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const form = usePostedForm('newsletter', ['email']);
  const isOffered = useSettings().newsletter;
  const result = results[search.get('done') ?? ''];
  if (!isOffered) return <NotFound />;
  if (result && !form.isRejected) return <ResultPage {...result} />;
  return (
    <BesideDrawing drawing={letter}>
      <PageHeading title="Newsletter" description="Subscribe to our newsletter." />
      <p className="mb-8 text-soft">We’ll email you a link to confirm your address.</p>
      <form method="post" noValidate>
        {form.messages}
        <Field
          label="Your email"
          type="email"
          autoComplete="email"
          maxLength={254}
          {...form.field('email', email)}
        />
        <Button type="submit">Subscribe</Button>
      </form>
    </BesideDrawing>
  );
}
