import { useSearchParams } from 'react-router';
import { Button, ButtonLink } from '../../components/button.tsx';
import { PageHeading } from '../../components/page-heading.tsx';

/** Works even if the shop no longer has a newsletter. The server handles the form (`server/shop/contact/routes.ts`). */
export function Component() {
  const [search] = useSearchParams();
  if (search.get('done'))
    return (
      <>
        <PageHeading title="You’re unsubscribed" description="We won’t send you our newsletter anymore." />
        <p className="mb-8 max-w-text text-soft">We won’t send you our newsletter anymore.</p>
        <ButtonLink to="/">Back to homepage</ButtonLink>
      </>
    );
  return (
    <>
      <PageHeading title="Unsubscribe from our newsletter?" description="Stop getting our newsletter." />
      <form method="post">
        <Button type="submit">Unsubscribe</Button>
      </form>
    </>
  );
}
