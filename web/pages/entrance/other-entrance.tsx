import { useSearchParams } from 'react-router';
import { wayBack } from '../../client/access.ts';
import { Link } from '../../components/link.tsx';

/** Leads from one of the two forms to the other, which then knows the way back, too. */
export function OtherEntrance({ ask, to, children }: { ask: string; to: string; children: string }) {
  const [search] = useSearchParams();
  const from = search.has('from') ? `?from=${encodeURIComponent(wayBack(search))}` : '';
  return (
    <p className="mt-6 text-sm">
      {ask}{' '}
      <Link to={to + from} className="link link-alone">
        {children}
      </Link>
    </p>
  );
}
