import { Link } from './link.tsx';

/** Leads to the rows behind those that are shown; `after` is undefined where there are none. */
export function MoreLink({ after, children }: { after: string | undefined; children: string }) {
  if (!after) return null;
  return (
    <p className="mt-6 print:hidden">
      <Link to={`?after=${encodeURIComponent(after)}`} className="link link-alone">
        {children}
      </Link>
    </p>
  );
}
