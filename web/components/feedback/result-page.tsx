import { homePage } from '../../../contract/page-addresses.ts';
import letter from '../../drawings/letter.svg';
import { BesideDrawing } from '../beside-drawing.tsx';
import { ButtonLink } from '../button.tsx';
import { PageHeading } from '../page-heading.tsx';

/** The page after a form has been sent: one sentence and a link back. */
export function ResultPage({ title, text }: { title: string; text: string }) {
  return (
    <BesideDrawing drawing={letter}>
      <PageHeading title={title} description={text} />
      <p className="mb-8 text-soft">{text}</p>
      <ButtonLink to={homePage}>Back to homepage</ButtonLink>
    </BesideDrawing>
  );
}
