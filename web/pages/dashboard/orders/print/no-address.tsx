import { shopDetailsPage } from '../../../../../contract/page-addresses.ts';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { Link } from '../../../../components/link.tsx';

/** Tells an admin that the seller's address, which these papers need, is missing. */
export const NoAddress = () => (
  <Notice>
    {'Your address is missing. Enter it under '}
    <Link to={shopDetailsPage} className="link">
      Shop Details
    </Link>
    .
  </Notice>
);
