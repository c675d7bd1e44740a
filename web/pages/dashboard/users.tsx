import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useRevalidator } from 'react-router';
import type { User } from '../../../contract/users.ts';
import { requireAdmin } from '../../client/access.ts';
import { CallFailed } from '../../client/client.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/feedback/dialog.tsx';
import { Link } from '../../components/link.tsx';
import { formatDay } from '../../components/moment.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Cell, Table } from '../../components/table.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { refusalOf } from '../../forms/refusal.ts';
import { session } from '../../client/session.ts';
import { visit } from '../../client/visit.ts';
import { MoreRows, rowsAsked } from './more-rows.tsx';
import { useRowFocus } from './row-focus.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  return args.context.get(visit).client.list('listUsers', { query: rowsAsked(args.request) });
}

export function Component() {
  const { rows, after } = useLoaderData<typeof loader>();
  const [chosen, setChosen] = useState<User>();
  const focus = useRowFocus(rows);
  const { revalidate } = useRevalidator();
  const toast = useToast();

  async function promote({ _id, email, name }: User) {
    try {
      const { modifiedCount } = await session().client.call('makeAdmin', { params: { email } });
      toast(modifiedCount > 0 ? 'Make Admin Successfully' : `${name} is an admin already.`);
    } catch (error) {
      const forbidden = error instanceof CallFailed && error.problem.status === 403;
      toast(forbidden ? 'Failed to make an admin!' : refusalOf(error).detail, 'wrong');
    }
    focus.stayAt(_id);
    await revalidate();
  }

  return (
    <>
      <PageHeading title="Make Admin" description="Everybody with an account, and who is an admin." />
      <p className="mb-8 max-w-text text-soft">
        An admin sees all people and orders, and adds and deletes products. Look at since when an account
        exists and how it signs in before you promote it.
      </p>
      <Table
        caption="Everybody with an account, in the order in which they signed up"
        columns={['Name', 'Email', 'Since', 'Signs in with', 'Role']}
      >
        {rows.map((user) => (
          <UserRow key={user._id} user={user} onPromote={setChosen} />
        ))}
      </Table>
      <MoreRows shown={rows.length} after={after} />
      <p className="mt-8 max-w-text text-soft">
        Programs can do all this too, through the{' '}
        <Link to="/api/docs" reloadDocument className="link">
          shop’s API
        </Link>
        .
      </p>
      {chosen && (
        <ConfirmDialog
          title={`Make ${chosen.name} an admin?`}
          act="Make Admin"
          onConfirm={() => promote(chosen)}
          keep="Cancel"
          onClose={() => {
            setChosen(undefined);
            focus.move();
          }}
        >
          <p className="wrap-anywhere text-soft">
            {chosen.email} will see everybody’s orders and addresses, and can make others admins. The shop has
            no button that takes it back.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

const ways: Record<string, string> = { password: 'Password', google: 'Google' };

function UserRow({ user, onPromote }: { user: User; onPromote: (user: User) => void }) {
  const { _id, name, email, createdAt, signsInWith, role } = user;
  return (
    <tr id={_id} tabIndex={-1}>
      <Cell>
        <span className="inline-block font-serif text-lg leading-tight wrap-anywhere sm:min-w-28">
          {name}
        </span>
      </Cell>
      <Cell label="Email">
        <span className="inline-block wrap-anywhere sm:min-w-60">{email}</span>
      </Cell>
      <Cell label="Since">
        <time dateTime={createdAt} className="whitespace-nowrap">
          {formatDay(createdAt)}
        </time>
      </Cell>
      <Cell label="Signs in with">{signsInWith.map((way) => ways[way] ?? way).join(', ') || '–'}</Cell>
      <Cell label="Role">
        {role === 'admin' ? (
          <StatusBadge tone="done">admin</StatusBadge>
        ) : (
          <Button
            kind="plain"
            aria-label={`Make Admin: ${name}`}
            onClick={() => onPromote(user)}
            className="whitespace-nowrap"
          >
            Make Admin
          </Button>
        )}
      </Cell>
    </tr>
  );
}
