import type { ReactNode } from 'react';
import type { Facts } from '../../../../contract/health.ts';
import { ageOf, amount, counted } from '../../../../contract/health-words.ts';
import { Moment } from '../../../components/moment.tsx';

type Given = { facts: Facts };

export function Payments({ facts: { payments, webhook, readAt } }: Given) {
  const { open, oldestOpenAt, refundsDue, refundsPending, refundsFailed, lastPaidAt } = payments;
  return (
    <Rows>
      <Row term="Waiting">
        {open === 0 ? (
          'None that a customer has begun and not finished.'
        ) : (
          <>
            {counted(open, 'payment')} begun and not finished by customers.
            <span className="block">
              The oldest: <When at={oldestOpenAt} now={readAt} />
            </span>
          </>
        )}
      </Row>
      <Row term="To give back">
        {refundsDue === 0 ? 'None.' : `${counted(refundsDue, 'payment')} that came without an order to pay.`}
      </Row>
      <Row term="Refunds">
        {refundsPending === 0 ? 'None pending.' : `${counted(refundsPending, 'refund')} pending.`}
        {refundsFailed > 0 && <span className="block">{counted(refundsFailed, 'refund')} failed.</span>}
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

export function Holds({ facts: { holds, readAt } }: Given) {
  return (
    <Rows>
      <Row term="Unpaid">
        {holds.orders === 0
          ? 'No order keeps stock.'
          : `${counted(holds.orders, 'order')}, for which ${amount(holds.pieces, 'piece')} ${holds.pieces === 1 ? 'is' : 'are'} kept.`}
      </Row>
      {holds.nextEndsAt && (
        <Row term="Next to end">
          <When at={holds.nextEndsAt} now={readAt} />
        </Row>
      )}
    </Rows>
  );
}

export function Itself({ facts, startedAt }: Given & { startedAt: string }) {
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
      <Row term="Regular work">
        <When at={periodicWork.lastFinishedAt} now={readAt} />
        {periodicWork.underWay && <span className="block">Under way now.</span>}
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

/** How far a time is from that of the page: both came with it, so the server and every browser say the same. */
function When({ at, now }: { at: string | null; now: string }) {
  if (at === null) return 'never';
  return (
    <>
      {at <= now ? `${ageOf(at, now)} ago` : `in ${ageOf(now, at)}`}
      <span className="text-soft">
        {' · '}
        <Moment at={at} />
      </span>
    </>
  );
}

const megabytes = (bytes: number) =>
  `${(bytes / 1e6).toLocaleString('en-GB', { maximumFractionDigits: 1 })} MB`;
