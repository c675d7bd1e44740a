import type { OrderFilter, OrderSort, OrderTime } from '../../../../../contract/orders/order-list.ts';
import { allOrdersPage } from '../../../../../contract/page-addresses.ts';

export const statusLabels: Record<OrderFilter, string> = {
  unpaid: 'Unpaid',
  paid: 'To ship',
  shipped: 'Shipped',
  expired: 'Not paid in time',
  refunded: 'Refunded',
  disputed: 'Disputed',
};
export const orderTimeLabels: Record<OrderTime, string> = {
  placed: 'Order placed',
  paid: 'Paid',
  refunded: 'Refunded',
  charged_back: 'Charged back',
};
export const orderSortLabels: Record<OrderSort, string> = {
  '-created': 'Newest first',
  created: 'Oldest first',
  '-price': 'Highest total first',
  price: 'Lowest total first',
};

/** Search, filters and sorting in the page's URL. Empty text is no filter. */
export type OrderQuery = {
  q: string;
  status: OrderFilter | '';
  from: string;
  to: string;
  by: OrderTime;
  sort: OrderSort;
};

/** Ignores values that the page's own form and links never send. Swaps days in the wrong order. */
export function readOrderQuery(search: URLSearchParams): OrderQuery {
  const status = search.get('status') ?? '';
  const [by, sort] = [search.get('by') ?? '', search.get('sort') ?? ''];
  const [from = '', to = ''] = [readDay(search.get('from')), readDay(search.get('to'))];
  const isReversed = from !== '' && to !== '' && from > to;
  return {
    q: (search.get('q') ?? '').trim().slice(0, 100),
    status: isIn(statusLabels, status) ? status : '',
    from: isReversed ? to : from,
    to: isReversed ? from : to,
    by: isIn(orderTimeLabels, by) ? by : 'placed',
    sort: isIn(orderSortLabels, sort) ? sort : '-created',
  };
}

/** The parameters of the page and of the call, without unset ones. */
export function toParameters(query: OrderQuery): Record<string, string> {
  const set = Object.entries(query).filter(
    ([name, value]) =>
      value !== '' && `${name}=${value}` !== 'sort=-created' && `${name}=${value}` !== 'by=placed',
  );
  return Object.fromEntries(set);
}

/** The path of a customer's orders. The list also has the orders of customers whose email address starts with this one. */
export const ordersPathOf = (email: string): string =>
  `${allOrdersPage}?${new URLSearchParams({ q: email })}`;

/** A link to the first rows of the same page with another query. */
export const linkTo = (query: OrderQuery): string => `?${new URLSearchParams(toParameters(query))}`;

export const isFiltered = ({ q, status, from, to }: OrderQuery): boolean =>
  `${q}${status}${from}${to}` !== '';

const isIn = <Name extends string>(labels: Record<Name, string>, name: string): name is Name =>
  Object.hasOwn(labels, name);

/** Returns '' unless it is a day such as 2026-03-31. */
function readDay(text: string | null): string {
  const day = new Date(`${text}T00:00:00Z`);
  return text && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : '';
}
