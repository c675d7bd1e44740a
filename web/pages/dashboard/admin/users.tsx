import { useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useNavigate, useRevalidator } from 'react-router';
import type { User } from '../../../../contract/accounts/users.ts';
import { apiDocsPage, dashboardPage, usersPage } from '../../../../contract/page-addresses.ts';
import { apiBase, serverPaths } from '../../../../contract/paths.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { getSession } from '../../../client/session.ts';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Link } from '../../../components/link.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { Table } from '../../../components/table.tsx';
import { SearchBox } from '../../../forms/search-box.tsx';
import { useSearchForm } from '../../../forms/use-search-form.ts';
import { useSettings } from '../../../shop.tsx';
import { MoreRows, readRowsQuery } from '../more-rows.tsx';
import { useRowFocus } from '../row-focus.ts';
import { ActionDialog, type UserAction } from './users/action-dialog.tsx';
import { UserRow } from './users/user-row.tsx';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = await requireAdmin(args);
  const q = (new URL(args.request.url).searchParams.get('q') ?? '').trim().slice(0, 100);
  const query = { ...readRowsQuery(args.request), ...(q ? { q } : {}) };
  const page = await args.context.get(loaderContext).client.list('listUsers', { query });
  return { ...page, q, viewer };
}

const columns = ['Name', 'Email', 'Since', 'Signs in with', 'Role', 'Sessions'];

export function Component() {
  const { rows, after, q, viewer } = useLoaderData<typeof loader>();
  const [confirming, setConfirming] = useState<{ action: UserAction; user: User }>();
  const focus = useRowFocus(rows);
  const { revalidate } = useRevalidator();
  const navigate = useNavigate();
  const { newsletter, sandbox, sendsMail } = useSettings();
  const requiresConfirmed = sendsMail && !sandbox;
  const isSelf = confirming?.user._id === viewer._id;

  async function showResult(succeeded: boolean) {
    if (isSelf && succeeded && confirming?.action === 'demote') {
      // The viewer is no longer an admin: revalidating this page would sign them out.
      await getSession().refresh();
      return navigate(dashboardPage);
    }
    focus.setTarget(confirming?.user._id ?? '');
    await revalidate();
  }

  return (
    <>
      <PageHeading title="Make Admin" description="All accounts, and which of them are admins." />
      <p className="mb-8 max-w-text text-soft">
        Admins see all users and orders, and add and delete products. Before you promote an account, check
        when it was created, how it signs in, and that its address is confirmed.
        {requiresConfirmed &&
          ' An account whose address is not confirmed may be somebody else’s: ask your colleague to open the link in the shop’s email, or to send it again from their profile.'}
      </p>
      <UserSearch text={q} />
      {rows.length === 0 ? (
        <EmptyState title="No matching accounts">
          <Link to={usersPage} className="link-alone link">
            Show all accounts
          </Link>
        </EmptyState>
      ) : (
        <Table
          caption={q ? `Accounts that match “${q}”, oldest first` : 'All accounts, oldest first'}
          columns={columns}
        >
          {rows.map((user) => (
            <UserRow
              key={user._id}
              user={user}
              requiresConfirmed={requiresConfirmed}
              onAct={(action, target) => setConfirming({ action, user: target })}
            />
          ))}
        </Table>
      )}
      <MoreRows shown={rows.length} after={after} />
      {newsletter && (
        <p className="mt-8 max-w-text text-soft">
          <a
            href={`${apiBase}${serverPaths.listSubscribers.path}?format=csv`}
            download="newsletter.csv"
            className="link"
          >
            Download the newsletter’s addresses
          </a>{' '}
          as a CSV file, each with its own link to unsubscribe. Put that link into every newsletter.
        </p>
      )}
      <p className="mt-8 max-w-text text-soft">
        Programs can do all this too, through the{' '}
        <Link to={apiDocsPage} target="_self" className="link">
          shop’s API
        </Link>
        .
      </p>
      {confirming && (
        <ActionDialog
          {...confirming}
          isSelf={isSelf}
          onDone={showResult}
          onClose={() => {
            setConfirming(undefined);
            focus.focusTarget();
          }}
        />
      )}
    </>
  );
}

const toSearch = (q: string) => (q ? `?${new URLSearchParams({ q })}` : '?');

/** Searches as the admin types: `?q=`. A GET form, so that it works without scripts. */
function UserSearch({ text }: { text: string }) {
  const { form, submit, searchSoon, stopTyping } = useSearchForm({ q: text }, toSearch(text), (fields) =>
    toSearch(fields.get('q') ?? ''),
  );
  return (
    <search className="mb-4 block max-w-form">
      <form ref={form} method="get" onSubmit={submit} onBlur={stopTyping}>
        <SearchBox
          label="Search users"
          hint="Start of a name or email address, or an order number."
          defaultValue={text}
          onInput={searchSoon}
        />
      </form>
    </search>
  );
}
