import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import type { Act, AuditEntry } from '../../../../contract/admin/audit.ts';
import { productFieldNames, productFields } from '../../../../contract/catalogue/product-fields.ts';
import { auditPage } from '../../../../contract/page-addresses.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Link } from '../../../components/link.tsx';
import { Moment } from '../../../components/moment.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { Cell, Table } from '../../../components/table.tsx';
import { Email } from '../email.tsx';
import { MoreRows, readRowsQuery } from '../more-rows.tsx';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  const { searchParams } = new URL(args.request.url);
  const actor = readFilter(searchParams, 'actor');
  const target = readFilter(searchParams, 'target');
  const query = { ...readRowsQuery(args.request), actor, target };
  const page = await args.context.get(loaderContext).client.list('listAudit', { query });
  return { ...page, actor, target };
}

const readFilter = (search: URLSearchParams, name: 'actor' | 'target') =>
  (search.get(name) ?? '').trim().slice(0, 300);

const toFilter = (filter: { actor: string } | { target: string }) => `?${new URLSearchParams(filter)}`;

export function Component() {
  const { rows, after, actor, target } = useLoaderData<typeof loader>();
  const [newest] = rows;
  const filters = [
    ...(actor ? [`by ${newest?.actor ?? actor}`] : []),
    ...(target ? [`on ${newest ? nameTarget(newest) : target}`] : []),
  ];
  return (
    <>
      <PageHeading title="Audit Log" description="Admin actions, and when they happened." />
      <p className="mb-8 max-w-text text-soft">
        Admins’ actions, such as those on products, reviews, and other people’s orders and accounts. Entries
        cannot be changed or deleted, not even by admins.
      </p>
      {filters.length > 0 && (
        <p className="mb-6 wrap-anywhere">
          {`Only actions ${filters.join(' ')}. `}
          <Link to={auditPage} className="link">
            Show all
          </Link>
        </p>
      )}
      {rows.length === 0 ? (
        <EmptyState title={filters.length > 0 ? 'No matching entries' : 'Nothing yet'}>
          {filters.length > 0 ? 'Choose Show all to see every entry.' : 'Admin actions will appear here.'}
        </EmptyState>
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
  editProduct: 'Edited a product',
  archiveProduct: 'Archived a product',
  restoreProduct: 'Restored a product',
  deleteProduct: 'Deleted a product',
  adjustStock: 'Changed the stock',
  importProducts: 'Imported products',
  shipOrder: 'Shipped an order',
  editTracking: 'Corrected tracking',
  undoShipment: 'Took back a parcel',
  addNote: 'Added a note to an order',
  changeDelivery: 'Changed an order’s delivery details',
  deleteOrder: 'Deleted an order',
  refundOrder: 'Refunded an order',
  settlePayment: 'Settled a payment that was missing',
  settleRefund: 'Settled a failed refund',
  assignRefund: 'Assigned a refund',
  recordReturn: 'Recorded returned pieces',
  reconcile: 'Brought a payment into line with the provider',
  acceptPayment: 'Accepted a late payment',
  refundPayment: 'Refunded a late payment',
  deletePicture: 'Deleted an image',
  editShipping: 'Edited delivery',
  editShopDetails: 'Edited the shop’s details',
  hideReview: 'Hid a review',
  showReview: 'Showed a hidden review again',
  approveReview: 'Approved a review',
  answerReview: 'Answered a review',
  dismissReports: 'Dismissed reports of a review',
  makeAdmin: 'Made an admin',
  removeAdmin: 'Removed an admin',
  signOutUser: 'Signed a user out everywhere',
  changeEmail: 'Changed their email address',
  deleteAccount: 'Deleted their own account',
  resetPassword: 'Reset a password',
  retryMail: 'Sent failed mail again',
  answerMessage: 'Marked contact messages as answered',
  reopenMessage: 'Marked contact messages as not answered',
  resetTwoFactor: 'Turned off two-factor sign-in',
};

const fieldLabels = new Map([
  ...productFieldNames.map((name) => [name, productFields[name].label.toLowerCase()] as const),
  ['a_quantity', 'available'],
  ['refunded', 'amount refunded'],
  ['refundedQuantity', 'pieces refunded'],
  ['restocked', 'pieces returned to stock'],
  ['synonyms', 'search synonyms'],
  ['taxId', 'tax number'],
  ['trackingNumber', 'tracking number'],
  ['trackingUrl', 'tracking link'],
]);

const outcomeLabels = new Map([
  ['nothing_owed', 'nothing is owed'],
  ['repaid', 'paid back another way'],
]);

/** Replaces the API's names and ids by words: the field at the start of each line, outcomes, and the id of a replaced refund. */
const describeChanges = (details: string): string =>
  details
    .replace(/^replaces: .*$/m, 'instead of a refund that failed')
    .replace(/(?<=^outcome: )\w+/m, (outcome) => outcomeLabels.get(outcome) ?? outcome)
    .replace(/^\w+(?=: )/gm, (field) => fieldLabels.get(field) ?? field);

/** Users are known by their address, and everything else by its name. */
const nameTarget = ({ target, number, name }: AuditEntry): string =>
  number ? `Order ${number}` : target.includes('@') ? target : name || target;

function EntryRow({ entry }: { entry: AuditEntry }) {
  const { at, actor, actorId = actor, action, target, number, name, details } = entry;
  return (
    <tr>
      <Cell>
        <span className="font-serif text-lg leading-tight sm:whitespace-nowrap">{actionLabels[action]}</span>
        {details && (
          <span className="block whitespace-pre-line wrap-anywhere text-soft">
            {describeChanges(details)}
          </span>
        )}
      </Cell>
      <Cell label="Target">
        <span className="block min-w-0 wrap-anywhere xl:min-w-44">
          {name && (number || target.includes('@')) && <span className="block font-medium">{name}</span>}
          <Link to={toFilter({ target })} className="link block w-fit max-sm:link-alone">
            {nameTarget(entry)}
          </Link>
        </span>
      </Cell>
      <Cell label="By">
        <Link
          to={toFilter({ actor: actorId })}
          aria-label={actor}
          className="link block w-fit max-sm:link-alone sm:min-w-44"
        >
          <Email>{actor}</Email>
        </Link>
      </Cell>
      <Cell label="Time">
        <Moment at={at} />
      </Cell>
    </tr>
  );
}
