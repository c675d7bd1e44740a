import { contactPage, homePage } from '../../contract/page-addresses.ts';
import { Button, ButtonLink } from '../components/button.tsx';
import { CategoryLinks } from '../components/layout/category-links.tsx';
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
        <CategoryLinks className="mt-6 flex flex-wrap gap-x-6 border-y border-rule py-2 text-blued" />
      </div>
      <figure>
        <img src={dial} alt="" width={640} height={640} className="mx-auto w-full max-w-[28rem]" />
        <figcaption className="mt-4 text-center text-sm text-balance text-soft">
          <span className="caps mr-1 text-brass">Fig. 404</span> An eight-day dial, stopped at four minutes
          past four.
        </figcaption>
      </figure>
    </div>
  );
}
