import { dashboardPaths } from '../../../../../contract/dashboard-paths.ts';
import { apiBase } from '../../../../../contract/paths.ts';

/** A link to the file with everything that the shop stores about the user. */
export function YourData({ email }: { email: string }) {
  const exportPath = apiBase + dashboardPaths.exportUser.path.replace(':email', encodeURIComponent(email));
  return (
    <section aria-labelledby="your-data" className="mt-16 border-t-2 border-edge pt-6">
      <h2 id="your-data" className="mb-2 text-2xl">
        Your data
      </h2>
      <p className="mb-6 max-w-text text-soft">
        Download everything that the shop stores about you, such as your profile, orders, reviews and
        messages, as one file in the JSON format.
      </p>
      <p className="flex flex-wrap gap-4">
        <a href={exportPath} download className="button border-edge bg-leaf text-blued hover:border-blued">
          Download your data
        </a>
      </p>
    </section>
  );
}
