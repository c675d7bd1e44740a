import type { ReactNode } from 'react';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Printout } from '../../../../../contract/orders/printing.ts';
import { Button } from '../../../../components/button.tsx';
import { EmptyState } from '../../../../components/feedback/empty-state.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { PageHeading } from '../../../../components/page-heading.tsx';

type Props = {
  title: string;
  description: string;
  printout: Printout;
  /** The document's name in a sentence, such as "packing slip". The plural gets an s. */
  noun: string;
  notice?: ReactNode;
  /** How many documents there are, if not one for each purchase. */
  count?: number;
  /** The sheets. */
  children: ReactNode;
};

/** A page of sheets to print. Only the sheets are printed. */
export function PrintPage({
  title,
  description,
  printout,
  noun,
  notice,
  count = printout.purchases.length,
  children,
}: Props) {
  const { purchases, skipped } = printout;
  return (
    <>
      <div className="print:hidden">
        <PageHeading title={title} description={description} />
        {skipped.length > 0 && (
          <Notice>
            {skipped.map(({ reference, reason }) => (
              <p key={reference} className="wrap-anywhere">
                {reason === 'unpaid'
                  ? `Order ${reference} is not paid yet, so it has no ${noun}.`
                  : `There is no order ${reference}.`}
              </p>
            ))}
          </Notice>
        )}
        {purchases.length === 0 ? (
          <EmptyState title="Nothing to print">{`Only paid orders have ${noun}s.`}</EmptyState>
        ) : (
          <>
            {notice}
            <p className="mb-8 flex flex-wrap items-center gap-x-6 gap-y-3">
              <Button className="noscript:hidden" onClick={() => print()}>
                Print
              </Button>
              <span className="text-soft">
                {formatQuantity(count, noun)}
                <span className="not-noscript:hidden">. Print this page from your browser’s menu.</span>
              </span>
            </p>
          </>
        )}
      </div>
      {children}
    </>
  );
}
