import type { Trouble } from '../../../../../contract/admin/health.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import { Commands } from '../../../../components/commands.tsx';
import { Link } from '../../../../components/link.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';

type Props = { troubles: Trouble[]; untried: string[]; readAt: string };

/**
 * Until a message has been sent and an order paid, nobody knows whether mail and payments work, so the shop does not count as
 * healthy.
 */
export function HealthSummary({ troubles, untried, readAt }: Props) {
  const hasTroubles = troubles.length > 0;
  const isWell = !hasTroubles && untried.length === 0;
  const border = hasTroubles ? 'border-ruby' : isWell ? 'border-verdigris' : 'border-edge';
  return (
    <section className={`border-l-4 bg-leaf px-5 py-4 ${border}`}>
      <h2 className="mb-2 font-serif text-xl">
        {hasTroubles ? (
          <StatusBadge tone="wrong">
            {troubles.length === 1 ? 'One problem' : `${troubles.length} problems`}
          </StatusBadge>
        ) : isWell ? (
          <StatusBadge tone="done">All is well</StatusBadge>
        ) : (
          'No problems so far'
        )}
      </h2>
      {isWell && (
        <p className="max-w-text">
          No payment is stuck, stock holds end on time, and there were no errors in the last day.
        </p>
      )}
      {!hasTroubles && untried.length > 0 && <p className="max-w-text">{untried.join(' ')}</p>}
      <ul className="flex flex-col gap-4">
        {troubles.map(({ what, advice, orders = [] }) => (
          <li key={what} className="max-w-text">
            <span className="block font-medium">{what}</span>
            <span className="block text-soft">
              <Commands text={advice} />
            </span>
            {orders.map((number) => (
              <Link key={number} to={`${orderPages}/${number}`} className="link link-alone mr-3">
                {`Order ${number}`}
              </Link>
            ))}
          </li>
        ))}
      </ul>
      {hasTroubles && untried.length > 0 && <p className="mt-4 max-w-text text-soft">{untried.join(' ')}</p>}
      <p className="mt-4 text-sm text-soft">
        As of <Moment at={readAt} />
      </p>
    </section>
  );
}
