import { ButtonLink } from '../components/button.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { useSettings } from '../shop.tsx';

/** Confirms that the account is deleted. The visitor is signed out. */
export function Component() {
  const { orderRetentionYears: years } = useSettings();
  return (
    <div className="max-w-text">
      <PageHeading
        title="Your account is deleted"
        description="You are signed out, and your personal data is deleted."
      />
      <p className="mb-4 text-lg">You are signed out everywhere. Thank you for having been our customer.</p>
      <p className="mb-8 text-soft">
        {`Invoices of paid orders keep your name and address${
          years === 0 ? '' : ` for ${years === 1 ? 'a year' : `${years} years`}`
        } after the end of the year of the payment, as a shop must. Everything else about you is gone.`}
      </p>
      <ButtonLink to="/">Back to homepage</ButtonLink>
    </div>
  );
}
