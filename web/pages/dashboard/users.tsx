import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useRevalidator } from 'react-router';
import type { User } from '../../../contract/users.ts';
import { ApiError } from '../../client/client.ts';
import { getErrorMessage } from '../../client/error-message.ts';
import { requireAdmin } from '../../client/route-access.ts';
import { loaderContext } from '../../client/route-context.ts';
import { getSession } from '../../client/session.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/feedback/dialog.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { Link } from '../../components/link.tsx';
import { formatDay } from '../../components/moment.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Cell, Table } from '../../components/table.tsx';
import { MoreRows, readRowsQuery } from './more-rows.tsx';
import { useRowFocus } from './row-focus.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  return args.context.get(loaderContext).client.list('listUsers', { query: readRowsQuery(args.request) });
}

export function Component() {
  const { rows, after } = useLoaderData<typeof loader>();
  const [toPromote, setToPromote] = useState<User>();
  const focus = useRowFocus(rows);
  const { revalidate } = useRevalidator();
  const toast = useToast();

  async function promote({ _id, email, name }: User) {
    try {
      const { modifiedCount } = await getSession().client.call('makeAdmin', { params: { email } });
      toast(modifiedCount > 0 ? 'Make Admin Successfully' : `${name} is already an admin.`);
    } catch (error) {
      const forbidden = error instanceof ApiError && error.problem.status === 403;
      toast(forbidden ? 'Failed to make an admin!' : getErrorMessage(error), 'wrong');
    }
    focus.setTarget(_id);
    await revalidate();
  }

  return (
    <>
      <PageHeading title="Make Admin" description="All accounts, and which of them are admins." />
      <p className="mb-8 max-w-text text-soft">
        Admins see all users and orders, and add and delete products. Before you promote an account, check
        when it was created and how it signs in.
      </p>
      <Table
        caption="All accounts, oldest first"
        columns={['Name', 'Email', 'Since', 'Signs in with', 'Role']}
      >
        {rows.map((user) => (
          <UserRow key={user._id} user={user} onPromote={setToPromote} />
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
      {toPromote && (
        <ConfirmDialog
          title={`Make ${toPromote.name} an admin?`}
          confirmLabel="Make Admin"
          onConfirm={() => promote(toPromote)}
          cancelLabel="Cancel"
          onClose={() => {
            setToPromote(undefined);
            focus.focusTarget();
          }}
        >
          <p className="wrap-anywhere text-soft">
            {toPromote.email} will see all orders and addresses, and can make others admins. This cannot be
            undone here.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

const signInMethods: Record<string, string> = { password: 'Password', google: 'Google' };

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
      <Cell label="Signs in with">
        {signsInWith.map((method) => signInMethods[method] ?? method).join(', ') || '–'}
      </Cell>
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
