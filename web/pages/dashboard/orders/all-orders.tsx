import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData, useNavigate, useRevalidator } from 'react-router';
import type { Order } from '../../../../contract/orders/orders.ts';
import type { NewShipment } from '../../../../contract/orders/shipments.ts';
import { orderPages } from '../../../../contract/page-addresses.ts';
import { isUnreachable } from '../../../client/api/api-errors.ts';
import { getErrorMessage } from '../../../client/api/error-message.ts';
import { findOrders } from '../../../client/find-orders.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { loaderContext } from '../../../client/route-context.ts';
import { getSession } from '../../../client/session.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/feedback/dialog.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { Link } from '../../../components/link.tsx';
import { Moment } from '../../../components/moment.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { Table } from '../../../components/table.tsx';
import { useMoney } from '../../../shop.tsx';
import { MoreRows, readRowsQuery } from '../more-rows.tsx';
import { useRowFocus } from '../row-focus.ts';
import { useRowsInPlace } from '../rows-in-place.ts';
import { countTools, describeSums } from './all-orders/list-sum.ts';
import { OrderFilters } from './all-orders/order-filters.tsx';
import {
  isFiltered,
  linkTo,
  orderSortLabels,
  readOrderQuery,
  toParameters,
} from './all-orders/order-query.ts';
import { AdminOrderRow } from './all-orders/order-row.tsx';
import { SelectAll } from './all-orders/select-all.tsx';
import { SelectionBar, SlipsLink } from './all-orders/selection-bar.tsx';
import { ShipDialog } from './all-orders/ship-dialog.tsx';
import { findShippingWarning } from './all-orders/shipping-warning.ts';
import { Shortcuts } from './all-orders/shortcuts.tsx';
import { UnknownPayments } from './all-orders/unknown-payments.tsx';
import { useFreshList } from './all-orders/use-fresh-list.ts';
import { type ShippedParcel, useUndo } from './use-undo.tsx';

export async function loader(args: LoaderFunctionArgs) {
  const viewer = await requireAdmin(args);
  const { client } = args.context.get(loaderContext);
  const { searchParams } = new URL(args.request.url);
  const query = readOrderQuery(searchParams);
  const { signal } = args.request;
  const [orders, sums, unknown, backup, numbered] = await Promise.all([
    client.list('listAllOrders', {
      query: { ...toParameters(query), ...readRowsQuery(args.request) },
      signal,
    }),
    client.call('sumOrders', { query: toParameters(query), signal }),
    client.call('listUnknownPayments', { query: { limit: 50 }, signal }),
    client.call('getRestoredBackup', { signal }),
    isFiltered({ ...query, q: '' }) ? findOrders(client, query.q) : [],
  ]);
  // An admin who searches for a complete number wants that order, whatever the other filters are.
  const found = numbered.length > 0 ? { rows: numbered, after: undefined } : orders;
  return {
    ...found,
    sums,
    viewer,
    unknown,
    backupMadeAt: backup.madeAt,
    query,
    unfiltered: numbered[0]?.number,
    isLaterPage: searchParams.has('after'),
  };
}

export function Component() {
  const {
    rows: loadedRows,
    after,
    sums: loadedSums,
    viewer,
    unknown,
    backupMadeAt,
    query,
    unfiltered,
    isLaterPage,
  } = useLoaderData<typeof loader>();
  const { rows, update } = useRowsInPlace(loadedRows);
  const [toDelete, setToDelete] = useState<Order>();
  const [toConfirm, setToConfirm] = useState<Order>();
  const [toShip, setToShip] = useState<readonly Order[]>([]);
  /** The version of each purchase after the last shipment from this page, by the purchase's id. */
  const versions = useRef(new Map<string, number>());
  const trackingNumbers = useRef(new Map<string, string>());
  /** The search whose rows are still loading. */
  const awaited = useRef<string>(undefined);
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set());
  const warning = toConfirm && findShippingWarning(toConfirm);
  const selected = rows.filter(({ _id }) => selectedIds.has(_id));
  const focus = useRowFocus(rows);
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const toast = useToast();
  const money = useMoney();
  const { undoButton } = useUndo();

  const findVersion = (purchase: string, listed: number): number =>
    Math.max(listed, versions.current.get(purchase) ?? 0);

  /** Ships pieces of orders of one customer as one parcel. Throws `ApiError`. */
  async function callShip(
    lines: readonly { order: Order; quantity: number }[],
    tracking: Pick<NewShipment, 'trackingNumber' | 'sharedNumber' | 'anyway'> = {},
  ): Promise<string> {
    const body = {
      lines: lines.map(({ order, quantity }) => ({ order: order._id, quantity })),
      versions: Object.fromEntries(
        lines.map(({ order: { purchase, version } }) => [purchase, findVersion(purchase, version)]),
      ),
      ...tracking,
    };
    const shipped = await getSession().client.call('shipParcel', { body });
    for (const [purchase, version] of Object.entries(shipped.versions))
      versions.current.set(purchase, version);
    return shipped.insertedId;
  }

  /** Ships an order with the specified call. Returns the new parcel. Throws `ApiError`. */
  async function callShipAll(row: Order): Promise<ShippedParcel[]> {
    const { _id: id, number, purchase, version: listed, chargedBack } = row;
    const { client } = getSession();
    const version = findVersion(purchase, listed);
    const shipped = await client.call('shipOrder', {
      params: { id },
      // The admin has confirmed the warning about the chargeback.
      body: { orderStatus: 'sipping', version, ...(chargedBack === undefined ? {} : { anyway: true }) },
    });
    versions.current.set(purchase, shipped.version);
    const order = await client.call('getOrder', { params: { id } }).catch(() => undefined);
    const [last] = order?.shipments?.toReversed() ?? [];
    return shipped.modifiedCount === 1 && last ? [{ id: last._id, number }] : [];
  }

  const readPurchase = (number: string) =>
    getSession().client.call('getPurchase', { params: { id: number } });

  /** Shows the orders as they are now. A row stays even if it no longer matches, so that no other row moves under the pointer. */
  async function refresh(orders: readonly Order[]) {
    const numbers = new Set(orders.map(({ number }) => number));
    // If an order cannot be read, its row stays as it is. The shop rejects an action that is no longer possible.
    const read = [...numbers].map((number) => readPurchase(number).catch(() => undefined));
    update((await Promise.all(read)).flatMap((purchase) => purchase?.orders ?? []));
  }

  /** The buttons and links of the toast after shipping. `row` is the row that gets the focus. */
  const links = (shipped: readonly Order[], parcels: readonly ShippedParcel[], row: string) => (
    <span className="inline-flex flex-wrap gap-x-3">
      {undoButton(parcels, row)}
      <SlipsLink orders={shipped} />
    </span>
  );

  async function ship(order: Order) {
    focus.setTarget(order._id);
    try {
      const parcels = await callShipAll(order);
      toast(`Order:${order.product} is Shipped.`, 'done', links([order], parcels, order._id));
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
      if (isUnreachable(error)) return;
    }
    await refresh([order]);
  }

  async function shipOrConfirm(order: Order) {
    if (findShippingWarning(order)) setToConfirm(order);
    else {
      await ship(order);
      focus.focusTarget();
    }
  }

  async function closeShipping(shipped: readonly Order[], parcels: readonly ShippedParcel[]) {
    setToShip([]);
    const [first, ...others] = shipped;
    // The browser has returned the focus to where it was before the dialog. Orders may have failed because they have changed, so
    // read them again.
    if (!first) return void refresh(toShip);
    const row = toShip[0]?._id ?? '';
    document.getElementById(row)?.focus();
    const text =
      others.length === 0 ? `Order:${first.product} is Shipped.` : `${countTools(shipped)} are shipped.`;
    toast(text, 'done', links(shipped, parcels, row));
    // Orders that the dialog left out stay selected.
    const left = toShip.filter((order) => order.orderStatus === 'paid' && !shipped.includes(order));
    setSelectedIds(new Set(left.map(({ _id }) => _id)));
    await refresh(toShip);
  }

  async function remove({ _id, product }: Order) {
    focus.setTargetAfterRemoval(_id);
    try {
      await getSession().client.call('deleteOrder', { params: { id: _id } });
      toast(`Order:${product} is Deleted.`);
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
      if (isUnreachable(error)) return;
    }
    await revalidate();
  }

  function toggle(id: string) {
    setSelectedIds((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }

  /** After a search with Enter, moves the focus to the first row, so that the keys for the list work. */
  function focusFound(search: string) {
    awaited.current = search;
    if (search !== linkTo(query)) return;
    awaited.current = undefined;
    document.getElementById(loadedRows[0]?._id ?? '')?.focus();
  }
  const focusLoaded = useEffectEvent(() => {
    if (awaited.current !== undefined) focusFound(awaited.current);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows belong to the search once they are loaded.
  useEffect(() => focusLoaded(), [loadedRows]);

  function searchFor(code: string) {
    const search = linkTo(readOrderQuery(new URLSearchParams({ ...toParameters(query), q: code })));
    focusFound(search);
    void navigate(search);
  }

  /** Moves the focus to the first selected row, because the bar with the pressed button disappears. */
  function clearSelection() {
    document.getElementById(selected[0]?._id ?? '')?.focus();
    setSelectedIds(new Set());
  }

  /** The current row is the one with the focus. Returns whether the key did anything. */
  function handleKey(key: '/' | 'j' | 'k' | 'Enter' | 's' | 'x'): boolean {
    const focused = document.activeElement;
    const at = rows.findIndex(({ _id }) => focused?.closest('tr')?.id === _id);
    const current = rows[at];
    const moveTo = (row: Order | undefined) => document.getElementById(row?._id ?? '')?.focus();
    if (key === '/') {
      const box = document.getElementById('q');
      if (box instanceof HTMLInputElement) box.select();
    } else if (key === 'j') moveTo(rows[Math.min(at + 1, rows.length - 1)]);
    else if (key === 'k') moveTo(rows[Math.max(at - 1, 0)]);
    else if (key === 's' && selected.length > 0) setToShip(selected);
    else if (!current) return false;
    else if (key === 'x') toggle(current._id);
    else if (key === 's') {
      if (current.orderStatus === 'paid') setToShip([current]);
    } else if (focused?.id === current._id) void navigate(`${orderPages}/${current.number}`);
    else return false;
    return true;
  }

  const { sums, added } = useFreshList({
    query,
    rows,
    sums: loadedSums,
    onChange: update,
    // Only the list of orders to ship is refreshed: new orders arrive while an admin packs the others.
    isOn: query.status === 'paid' && !isLaterPage && !unfiltered && toShip.length + Number(!!toConfirm) === 0,
    onLeave: (orders) => void refresh(orders),
    reload: () => void revalidate(),
  });
  const isEmpty = rows.length === 0;
  return (
    <>
      <PageHeading title="All Orders" description="Every order: what is paid and what is ready to ship." />
      {backupMadeAt && (
        <Notice>
          This shop was restored from a backup. Orders that have been shipped since are shown as to ship
          again: compare them with your carrier’s list first. Time of the backup: <Moment at={backupMadeAt} />
        </Notice>
      )}
      <UnknownPayments payments={unknown} viewer={viewer} />
      {(!isEmpty || isLaterPage || isFiltered(query)) && (
        <OrderFilters query={query} onSearch={focusFound}>
          <Shortcuts onKey={handleKey} onScan={searchFor} />
          <p aria-live="polite" className="text-soft sm:ml-auto">
            {isEmpty
              ? isFiltered(query) && !isLaterPage && <span className="sr-only">No orders match</span>
              : !unfiltered && describeSums(sums, query, money)}
          </p>
        </OrderFilters>
      )}
      {isEmpty ? (
        isLaterPage ? (
          <EmptyState title="No more orders">
            <Link to={linkTo(query)} className="link link-alone">
              Show the first orders
            </Link>
          </EmptyState>
        ) : isFiltered(query) ? (
          <EmptyState title={query.status === 'paid' && !query.q ? 'Nothing to ship' : 'No matching orders'}>
            <Link to="?" className="link link-alone">
              Show all orders
            </Link>
          </EmptyState>
        ) : (
          <EmptyState title="No orders yet">The first order will appear here.</EmptyState>
        )
      ) : (
        <>
          {unfiltered && (
            <Notice>{`Order ${unfiltered} is shown whatever its status and day: a search for a number ignores the filters.`}</Notice>
          )}
          <p className="mb-4 text-sm text-soft">
            The button of a paid order shows its status. Press it when the parcel leaves; it then reads
            “sipping”.
          </p>
          <Table
            caption={`${isFiltered(query) ? 'Matching orders' : 'All orders'}, ${orderSortLabels[query.sort].toLowerCase()}`}
            columns={[
              <th key="Order" scope="col" aria-label="Order">
                <SelectAll rows={rows} selectedIds={selectedIds} onSelect={setSelectedIds} />
              </th>,
              'Customer',
              'Quantity',
              'Total',
              'Status',
              'Ship',
            ]}
            numbers={['Quantity', 'Total', 'Ship']}
          >
            {rows.map((order, index) => (
              <AdminOrderRow
                key={order._id}
                order={order}
                isContinued={rows[index - 1]?.purchase === order.purchase}
                isSelected={selectedIds.has(order._id)}
                onSelect={toggle}
                onShip={shipOrConfirm}
                onDelete={setToDelete}
              />
            ))}
          </Table>
        </>
      )}
      {added > 0 && (
        // The button is below the rows, because they must not move.
        <p className="mt-6">
          <Button kind="plain" onClick={() => void revalidate()}>
            {added === 1 ? 'Show 1 new tool' : `Show ${added} new tools`}
          </Button>
        </p>
      )}
      <MoreRows shown={rows.length} after={after} />
      <SelectionBar selected={selected} onShip={() => setToShip(selected)} onClear={clearSelection} />
      {toShip.length > 0 && (
        <ShipDialog
          orders={toShip}
          rows={rows}
          trackingNumbers={trackingNumbers.current}
          onShip={callShip}
          readPurchase={readPurchase}
          onClose={closeShipping}
        />
      )}
      {toConfirm && warning && (
        <ConfirmDialog
          title={warning.title}
          confirmLabel="Ship it"
          cancelLabel="Not yet"
          onConfirm={() => ship(toConfirm)}
          onClose={() => {
            setToConfirm(undefined);
            document.getElementById(toConfirm._id)?.focus();
            focus.focusTarget();
          }}
        >
          <p className="wrap-anywhere text-soft">{warning.text}</p>
        </ConfirmDialog>
      )}
      {toDelete && (
        <ConfirmDialog
          title={`Delete the order for ${toDelete.product}?`}
          confirmLabel="Delete the order"
          onConfirm={() => remove(toDelete)}
          onClose={() => {
            setToDelete(undefined);
            focus.focusTarget();
          }}
        >
          <p className="text-soft">
            {toDelete.userName} has not paid for it. Its pieces go back to stock. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
