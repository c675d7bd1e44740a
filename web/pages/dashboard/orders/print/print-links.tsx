import { Link } from '../../../../components/link.tsx';

/** Links to what can be printed for a paid purchase; only admins print packing slips. */
export function PrintLinks({ number, isAdmin }: { number: string; isAdmin: boolean }) {
  return (
    <p className="mb-6 flex flex-wrap gap-x-6 print:hidden">
      {isAdmin && (
        <Link to={`/dashboard/print/slips?orders=${number}`} className="link link-alone">
          Packing slip
        </Link>
      )}
      <Link to={`/dashboard/print/invoices?orders=${number}`} className="link link-alone">
        Invoice
      </Link>
    </p>
  );
}
