import { invoicesPage, slipsPage } from '../../../../../contract/page-addresses.ts';
import { Link } from '../../../../components/link.tsx';

/** Links to what can be printed for a paid purchase; only admins print packing slips. */
export function PrintLinks({ number, hasSlip }: { number: string; hasSlip: boolean }) {
  return (
    <p className="mb-6 flex flex-wrap gap-x-6 print:hidden">
      {hasSlip && (
        <Link to={`${slipsPage}?orders=${number}`} className="link link-alone">
          Packing slip
        </Link>
      )}
      <Link to={`${invoicesPage}?orders=${number}`} className="link link-alone">
        Invoice
      </Link>
    </p>
  );
}
