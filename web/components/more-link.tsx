import { Link } from './link.tsx';

/** A link to the next page of a list; `after` is undefined if there is none. */
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
