import { useSearchParams } from 'react-router';
import { readReturnPath } from '../../client/route-access.ts';
import { Link } from '../../components/link.tsx';

/** A link from one of the two forms to the other, preserving `?from=`. */
export function SwitchFormLink({
  question,
  to,
  children,
}: {
  question: string;
  to: string;
  children: string;
}) {
  const [search] = useSearchParams();
  const from = search.has('from') ? `?from=${encodeURIComponent(readReturnPath(search))}` : '';
  return (
    <p className="mt-6 text-sm">
      {question}{' '}
      <Link to={to + from} className="link link-alone">
        {children}
      </Link>
    </p>
  );
}
