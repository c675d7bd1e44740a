import { homePage } from '../../contract/page-addresses.ts';
import { ButtonLink } from '../components/button.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { useSettings } from '../shop.tsx';
import { describeRetention } from './dashboard/account/delete-account/retention.ts';

/** Confirms that the account is deleted. The visitor is signed out. */
export function Component() {
  const { orderRetentionYears: years } = useSettings();
  return (
    <div className="max-w-text">
      <PageHeading title="Your account is deleted" description="You’re signed out everywhere." />
      <p className="mb-4 text-lg">You’re signed out everywhere. Thank you for having been our customer.</p>
      <p className="mb-4 text-soft">
        {`Paid orders keep your name and delivery address ${describeRetention(years)}, because a shop must keep its invoices. The texts of your reviews stay, under the name “Former customer”.`}
      </p>
      <p className="mb-8 text-soft">
        If your email address was never confirmed, contact messages and a newsletter subscription with it stay
        as well, because they may be someone else’s.
      </p>
      <ButtonLink to={homePage}>Back to homepage</ButtonLink>
    </div>
  );
}
