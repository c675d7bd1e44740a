import { useSearchParams } from 'react-router';
import { Button, ButtonLink } from '../../components/button.tsx';
import { PageHeading } from '../../components/page-heading.tsx';

/** Works even if the shop no longer has a newsletter. The server handles the form (`server/shop/contact/routes.ts`). */
export function Component() {
  const [search] = useSearchParams();
  if (search.get('done'))
    return (
      <>
        <PageHeading title="You’re unsubscribed" description="Your address is off our list." />
        <p className="mb-8 max-w-text text-soft">Your address is off our list.</p>
        <ButtonLink to="/">Back to homepage</ButtonLink>
      </>
    );
  return (
    <>
      <PageHeading title="Unsubscribe from our newsletter?" description="Take your address off our list." />
      <form method="post">
        <Button type="submit">Unsubscribe</Button>
      </form>
    </>
  );
}
