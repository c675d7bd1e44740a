import { useSearchParams } from 'react-router';
import { Link } from './link.tsx';

/** A link to the next page of a list with the same filters; `after` is undefined if there is none. */
export function MoreLink({ after, children }: { after: string | undefined; children: string }) {
  const [search] = useSearchParams();
  if (!after) return null;
  const next = new URLSearchParams(search);
  next.set('after', after);
  return (
    <p className="mt-6 print:hidden">
      <Link to={`?${next}`} className="link link-alone">
        {children}
      </Link>
    </p>
  );
}
