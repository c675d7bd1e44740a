import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import type { Act, AuditEntry } from '../../../contract/audit.ts';
import { requireAdmin } from '../../client/route-access.ts';
import { loaderContext } from '../../client/route-context.ts';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import { Cell, Table } from '../../components/table.tsx';
import { MoreRows, readRowsQuery } from './more-rows.tsx';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  return args.context.get(loaderContext).client.list('listAudit', { query: readRowsQuery(args.request) });
}

export function Component() {
  const { rows, after } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeading title="Audit Log" description="Admin actions, and when they happened." />
      <p className="mb-8 max-w-text text-soft">
        What admins did to products, images, and other people’s orders and accounts. Entries cannot be changed
        or deleted, not even by admins.
      </p>
      {rows.length === 0 ? (
        <EmptyState title="Nothing yet">Admin actions will appear here.</EmptyState>
      ) : (
        <Table caption="Admin actions, newest first" columns={['Action', 'Target', 'By', 'Time']}>
          {rows.map((entry) => (
            <EntryRow key={entry._id} entry={entry} />
          ))}
        </Table>
      )}
      <MoreRows shown={rows.length} after={after} />
    </>
  );
}

const actionLabels: Record<Act, string> = {
  addProduct: 'Added a product',
  deleteProduct: 'Deleted a product',
  shipOrder: 'Shipped an order',
  deleteOrder: 'Deleted an order',
  deletePicture: 'Deleted an image',
  hideReview: 'Hid a review',
  showReview: 'Showed a hidden review again',
  makeAdmin: 'Made an admin',
  resetPassword: 'Reset a password',
};

function EntryRow({ entry: { _id, at, who, what, of, name } }: { entry: AuditEntry }) {
  return (
    <tr id={_id} tabIndex={-1}>
      <Cell>
        <span className="font-serif text-lg leading-tight whitespace-nowrap">{actionLabels[what]}</span>
      </Cell>
      <Cell label="Target">
        <span className="block min-w-0 wrap-anywhere">
          {name && <span className="block font-medium">{name}</span>}
          <span className="block text-soft">{of}</span>
        </span>
      </Cell>
      <Cell label="By">
        <span className="inline-block wrap-anywhere sm:min-w-52">{who}</span>
      </Cell>
      <Cell label="Time">
        <Moment at={at} />
      </Cell>
    </tr>
  );
}
