import type { ReactNode } from 'react';
import type { Facts } from '../../../../../contract/admin/health.ts';
import { formatAge, formatCappedCount, formatQuantity } from '../../../../../contract/admin/health-format.ts';
import { Moment } from '../../../../components/moment.tsx';

type FactsProps = { facts: Facts };

export function Payments({ facts: { payments, orderRefunds, disputes, webhook, readAt } }: FactsProps) {
  const { open, oldestOpenAt, refundsDue, lastPaidAt } = payments;
  const refundsPending = payments.refundsPending + orderRefunds.pending;
  const refundsFailed = payments.refundsFailed + orderRefunds.owed.length;
  return (
    <Rows>
      <Row term="Waiting">
        {open === 0 ? (
          'No unfinished payments.'
        ) : (
          <>
            {formatCappedCount(open, 'payment')} started but not finished by customers.
            <span className="block">
              The oldest: <When at={oldestOpenAt} now={readAt} />
            </span>
          </>
        )}
      </Row>
      <Row term="To refund">
        {refundsDue === 0
          ? 'None.'
          : `${formatCappedCount(refundsDue, 'payment')} without an order to pay for.`}
      </Row>
      <Row term="Refunds">
        {refundsPending === 0 ? 'None pending.' : `${formatCappedCount(refundsPending, 'refund')} pending.`}
        {refundsFailed > 0 && (
          <span className="block">{formatCappedCount(refundsFailed, 'refund')} failed.</span>
        )}
      </Row>
      <Row term="Disputes">
        {disputes.length === 0 ? 'None open.' : `${formatQuantity(disputes.length, 'dispute')} open.`}
      </Row>
      <Row term="Last paid">
        <When at={lastPaidAt} now={readAt} />
      </Row>
      <Row term="Last webhook">
        <When at={webhook.lastAt} now={readAt} />
        <span className="block">
          About a payment of this shop: <When at={webhook.lastOfPaymentAt} now={readAt} />
        </span>
      </Row>
    </Rows>
  );
}

export function Holds({ facts: { holds, readAt } }: FactsProps) {
  return (
    <Rows>
      <Row term="Unpaid">
        {holds.orders === 0
          ? 'No stock is on hold.'
          : `${formatCappedCount(holds.orders, 'order')}, holding ${formatQuantity(holds.pieces, 'piece')}.`}
      </Row>
      {holds.nextEndsAt && (
        <Row term="Next to end">
          <When at={holds.nextEndsAt} now={readAt} />
        </Row>
      )}
    </Rows>
  );
}

export function Mail({ facts: { mail, readAt } }: FactsProps) {
  return (
    <Rows>
      <Row term="Waiting">
        {mail.waiting === 0 ? (
          'Nothing is waiting to be sent.'
        ) : (
          <>
            {formatCappedCount(mail.waiting, 'message')}.
            <span className="block">
              The oldest: <When at={mail.oldestWaitingAt} now={readAt} />
            </span>
          </>
        )}
      </Row>
      <Row term="Failed">
        {mail.failedCount === 0 ? 'None.' : `${formatCappedCount(mail.failedCount, 'message')}.`}
      </Row>
    </Rows>
  );
}

export function System({ facts, startedAt }: FactsProps & { startedAt: string }) {
  const { database, periodicWork, lastBackupAt, readAt } = facts;
  return (
    <Rows>
      <Row term="Database">
        {megabytes(database.bytes)} on {database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, version{' '}
        {database.version}
      </Row>
      <Row term="Last backup">
        <When at={lastBackupAt} now={readAt} />
      </Row>
      <Row term="Periodic work">
        <When at={periodicWork.lastFinishedAt} now={readAt} />
        {periodicWork.underWay && <span className="block">Running now.</span>}
      </Row>
      <Row term="Running since">
        <When at={startedAt} now={readAt} />
      </Row>
    </Rows>
  );
}

const Rows = ({ children }: { children: ReactNode }) => (
  <dl className="figures border-t border-rule text-sm">{children}</dl>
);

function Row({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-8 gap-y-1 border-b border-rule py-3 sm:grid-cols-[9rem_1fr]">
      <dt className="text-soft">{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A time relative to `now`. Both come from the server, so that server and browser render the same text. */
function When({ at, now }: { at: string | null; now: string }) {
  if (at === null) return 'never';
  return (
    <>
      {at <= now ? `${formatAge(at, now)} ago` : `in ${formatAge(now, at)}`}
      <span className="text-soft">
        {' · '}
        <Moment at={at} />
      </span>
    </>
  );
}

const megabytes = (bytes: number) =>
  `${(bytes / 1e6).toLocaleString('en-GB', { maximumFractionDigits: 1 })} MB`;
