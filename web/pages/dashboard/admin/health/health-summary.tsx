import type { Trouble } from '../../../../../contract/admin/health.ts';
import { Link } from '../../../../components/link.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';

export function HealthSummary({ troubles, readAt }: { troubles: Trouble[]; readAt: string }) {
  const isHealthy = troubles.length === 0;
  return (
    <section className={`border-l-4 bg-leaf px-5 py-4 ${isHealthy ? 'border-verdigris' : 'border-ruby'}`}>
      <h2 className="mb-2 font-serif text-xl">
        {isHealthy ? (
          <StatusBadge tone="done">All is well</StatusBadge>
        ) : (
          <StatusBadge tone="wrong">
            {troubles.length === 1 ? 'One problem' : `${troubles.length} problems`}
          </StatusBadge>
        )}
      </h2>
      {isHealthy && (
        <p className="max-w-text">
          No payment is stuck, stock holds end on time, and there were no errors in the last day.
        </p>
      )}
      <ul className="flex flex-col gap-4">
        {troubles.map(({ what, act, orders = [] }) => (
          <li key={what} className="max-w-text">
            <span className="block font-medium">{what}</span>
            <span className="block text-soft">{act}</span>
            {orders.map((number) => (
              <Link key={number} to={`/dashboard/orders/${number}`} className="link link-alone mr-3">
                {`Order ${number}`}
              </Link>
            ))}
          </li>
        ))}
      </ul>
      <p className="mt-4 text-sm text-soft">
        As of <Moment at={readAt} />
      </p>
    </section>
  );
}
