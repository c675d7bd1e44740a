import { useSearchParams } from 'react-router';
import { productsPage } from '../../../contract/page-addresses.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { PageHeading } from '../../components/page-heading.tsx';

const description = 'Unsubscribe from back-in-stock emails.';

/** The link in a message leads here. The server handles the form (`server/shop/contact/routes.ts`). */
export function Component() {
  const [search] = useSearchParams();
  if (search.get('done'))
    return (
      <>
        <PageHeading title="You’re unsubscribed" description={description} />
        <p className="mb-8 max-w-text text-soft">
          We won’t email you when tools are back in stock, unless you ask again on a tool’s page.
        </p>
        <ButtonLink to={productsPage}>All products</ButtonLink>
      </>
    );
  return (
    <>
      <PageHeading title="No more back-in-stock emails?" description={description} />
      <p className="mb-8 max-w-text text-soft">
        You get one email for each tool that you asked about, when it’s back in stock. To unsubscribe from
        just one of them, open its page.
      </p>
      <form method="post">
        <Button type="submit">Unsubscribe from all</Button>
      </form>
    </>
  );
}
