import { useSearchParams } from 'react-router';
import { BesideDrawing } from '../../components/beside-drawing.tsx';
import { Button } from '../../components/button.tsx';
import { ResultPage } from '../../components/feedback/result-page.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import letter from '../../drawings/letter.svg';

/** Works even if the shop no longer has a newsletter. The server handles the form (`server/shop/contact/routes.ts`). */
export function Component() {
  const [search] = useSearchParams();
  if (search.get('done'))
    return <ResultPage title="You’re unsubscribed" text="We won’t send you our newsletter anymore." />;
  return (
    <BesideDrawing drawing={letter}>
      <PageHeading title="Unsubscribe from our newsletter?" description="Stop getting our newsletter." />
      <form method="post">
        <Button type="submit">Unsubscribe</Button>
      </form>
    </BesideDrawing>
  );
}
