import { newsletterPage } from '../../../contract/page-addresses.ts';
import { Button } from '../../components/button.tsx';
import { Link } from '../../components/link.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { usePostedForm } from '../../forms/use-posted-form.tsx';
import { useSettings } from '../../shop.tsx';
import { Component as NotFound } from '../not-found.tsx';

/** The link in a message leads here. Mail scanners open it, so only the button subscribes. */
export function Component() {
  const form = usePostedForm('confirm', []);
  const isOffered = useSettings().newsletter;
  if (!isOffered) return <NotFound />;
  return (
    <>
      <PageHeading title="Subscribe to our newsletter?" description="Confirm your subscription." />
      <form method="post" className="max-w-form">
        {form.messages}
        {form.isRejected ? (
          <Link to={newsletterPage} className="link link-alone">
            Subscribe again
          </Link>
        ) : (
          <Button type="submit">Yes, subscribe me</Button>
        )}
      </form>
    </>
  );
}
