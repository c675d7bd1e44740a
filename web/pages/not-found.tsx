import { contactPage, homePage } from '../../contract/page-addresses.ts';
import { Button, ButtonLink } from '../components/button.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import dial from '../drawings/dial.svg';
import { useSettings } from '../shop.tsx';

/**
 * The specified texts, beside a clock that stopped at 4:04. The button Contact us does nothing unless there is a contact form.
 */
export function Component() {
  const { contact } = useSettings();
  const title = "Oops! The page you're looking for isn't here.";
  const text = 'You might have the wrong address, or the page may have moved.';
  return (
    <div className="grid items-center gap-x-16 gap-y-12 md:grid-cols-2">
      <div>
        <PageHeading title={title} description={text} label="Error 404" />
        <p className="mb-8 text-lg text-soft">{text}</p>
        <div className="flex flex-wrap gap-4">
          <ButtonLink to={homePage}>Back to homepage</ButtonLink>
          {contact ? (
            <ButtonLink to={contactPage} kind="plain">
              Contact us
            </ButtonLink>
          ) : (
            <Button kind="plain">Contact us</Button>
          )}
        </div>
      </div>
      <img src={dial} alt="" width={640} height={640} className="mx-auto w-full max-w-[28rem]" />
    </div>
  );
}
