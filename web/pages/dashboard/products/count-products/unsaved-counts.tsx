import { useEffect } from 'react';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import { managedProductPages } from '../../../../../contract/page-addresses.ts';
import { Button } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { Link } from '../../../../components/link.tsx';
import type { RejectedForm } from '../../../../forms/form-results.ts';

type Props = {
  /** How many counts the shop has rejected. */
  count: number;
  /** Moves the focus to the first rejected count. */
  onShow: () => void;
};

/** Says at the bottom of the window how many counts are not saved, wherever their rows are. */
export function UnsavedCounts({ count, onShow }: Props) {
  // The bar may have appeared above the field that has the focus.
  useEffect(() => {
    if (count > 0) document.activeElement?.scrollIntoView({ block: 'nearest' });
  }, [count]);
  return (
    <div
      role="status"
      className={
        count > 0
          ? 'bottom-bar sticky bottom-0 z-20 mt-6 flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border border-ruby bg-leaf px-4 py-3 print:hidden'
          : undefined
      }
    >
      {count > 0 && (
        <>
          <span className="font-medium text-ruby">
            {`${formatQuantity(count, 'count')} ${count === 1 ? 'is' : 'are'} not saved.`}
          </span>
          <Button kind="plain" onClick={onShow} className="noscript:hidden">
            {count === 1 ? 'Go to it' : 'Go to the first'}
          </Button>
        </>
      )}
    </div>
  );
}

/** A rejected post without scripts whose product is no longer in the list, for example because another admin has counted it. */
export function RejectedCount({ rejected: { values, errors, root } }: { rejected: RejectedForm }) {
  return (
    <Notice error noFocus>
      {`The count “${values.pieces ?? ''}” is not saved. ${errors.pieces ?? root ?? ''} `}
      <Link to={`${managedProductPages}/${values.product ?? ''}/stock`} className="link">
        Open the product
      </Link>
    </Notice>
  );
}
