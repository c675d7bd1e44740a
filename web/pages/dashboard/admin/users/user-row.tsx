import type { User } from '../../../../../contract/accounts/users.ts';
import { Button } from '../../../../components/button.tsx';
import { Link } from '../../../../components/link.tsx';
import { useShopDay } from '../../../../components/moment.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { Cell } from '../../../../components/table.tsx';
import { Email } from '../../email.tsx';
import { ordersPathOf } from '../../orders/all-orders/order-query.ts';
import type { UserAction } from './action-dialog.tsx';

const signInMethods: Record<string, string> = { password: 'Password', google: 'Google' };

type Props = {
  user: User;
  /** The shop does not promote an account whose address is not confirmed. */
  requiresConfirmed: boolean;
  onAct: (action: UserAction, user: User) => void;
};

/** A user with the actions that are possible: Make Admin, Remove admin, Sign out everywhere. */
export function UserRow({ user, requiresConfirmed, onAct }: Props) {
  const formatDay = useShopDay();
  const { _id, name, email, emailVerified, createdAt, signsInWith, role } = user;
  return (
    <tr id={_id} tabIndex={-1}>
      <Cell>
        <span className="block font-serif text-lg leading-tight wrap-anywhere sm:min-w-28">{name}</span>
      </Cell>
      <Cell label="Email">
        <span className="block wrap-anywhere sm:min-w-36">
          <span className="block">
            <Email>{email}</Email>
          </span>
          <span className="block">
            <StatusBadge tone={emailVerified ? 'done' : 'open'}>
              {emailVerified ? 'Confirmed' : 'Not confirmed'}
            </StatusBadge>
          </span>
          <Link to={ordersPathOf(email)} className="link block max-sm:link-alone">
            Orders<span className="sr-only"> of {name}</span>
          </Link>
        </span>
      </Cell>
      <Cell label="Since">
        <time dateTime={createdAt} className="whitespace-nowrap">
          {formatDay(createdAt)}
        </time>
      </Cell>
      <Cell label="Signs in with">
        {signsInWith.map((method) => signInMethods[method] ?? method).join(', ') || '–'}
      </Cell>
      <Cell label="Role">
        {role === 'admin' ? (
          <span className="flex flex-col items-start gap-2">
            <StatusBadge tone="done">admin</StatusBadge>
            <ActionButton user={user} label="Remove admin" onClick={() => onAct('demote', user)} />
          </span>
        ) : requiresConfirmed && !emailVerified ? (
          <span className="block text-sm text-soft sm:min-w-36">
            Can become an admin once the address is confirmed.
          </span>
        ) : (
          <ActionButton user={user} label="Make Admin" onClick={() => onAct('promote', user)} />
        )}
      </Cell>
      <Cell label="Sessions">
        <ActionButton user={user} label="Sign out everywhere" onClick={() => onAct('signOut', user)} />
      </Cell>
    </tr>
  );
}

function ActionButton({ user, label, onClick }: { user: User; label: string; onClick: () => void }) {
  return (
    <Button
      kind="plain"
      aria-label={`${label}: ${user.name}`}
      onClick={onClick}
      className="sm:px-3 xl:whitespace-nowrap"
    >
      {label}
    </Button>
  );
}
