import { deleteAccountPage } from '../../../../../contract/page-addresses.ts';
import { apiBase, dashboardPaths } from '../../../../../contract/paths.ts';
import { ButtonLink } from '../../../../components/button.tsx';

/** Links to download the data that the shop stores about a user, and to delete the account. */
export function YourData({ email }: { email: string }) {
  return (
    <section aria-labelledby="your-data" className="mt-16 border-t-2 border-edge pt-6">
      <h2 id="your-data" className="mb-2 text-2xl">
        Your data
      </h2>
      <p className="mb-6 max-w-text text-soft">
        Download everything that the shop stores about you, such as your profile, orders, reviews and
        messages, as one file in the JSON format. Or delete your account; the next page says what is deleted
        and what is kept.
      </p>
      <p className="flex flex-wrap gap-4">
        <ExportLink email={email} />
        <ButtonLink kind="danger" to={deleteAccountPage}>
          Delete your account
        </ButtonLink>
      </p>
    </section>
  );
}

/** A link to the file with everything that the shop stores about the user. */
export function ExportLink({ email }: { email: string }) {
  const path = apiBase + dashboardPaths.exportUser.path.replace(':email', encodeURIComponent(email));
  return (
    <a href={path} download className="button border-edge bg-leaf text-blued hover:border-blued">
      Download your data
    </a>
  );
}
