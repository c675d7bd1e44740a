import type { ReactNode } from 'react';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { isToShip } from '../../../../../contract/orders/to-ship.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { findAccountPage } from '../../../../client/account-page.ts';
import { Link } from '../../../../components/link.tsx';
import { useSettings } from '../../../../shop.tsx';
import { describeRetention } from './retention.ts';

/** Lists the data that is deleted, and the data that is kept and until when. */
export function Consequences({ viewer, orders }: { viewer: Viewer; orders: Order[] }) {
  const { orderRetentionYears: years } = useSettings();
  const unpaid = listNumbers(orders.filter(({ orderStatus }) => orderStatus === ''));
  const unshipped = listNumbers(orders.filter(isToShip));
  const lastYear = new Date().getUTCFullYear() + years;
  return (
    <div className="mb-10 max-w-text">
      <Part title="Deleted at once">
        <li>Your profile, your password, your passkeys, your two-factor sign-in and all your sessions.</li>
        <li>Your basket, the images that you uploaded, and the messages that we sent to you.</li>
        {viewer.emailVerified && (
          <li>The contact messages that you sent, and your newsletter subscription.</li>
        )}
        <li>
          Your name, email address and picture on your reviews, and your reports of others’ reviews. The texts
          of your reviews stay, under the name “Former customer”.
        </li>
        {unpaid.length > 0 && (
          <li>
            {`Your unpaid ${unpaid.length === 1 ? 'order' : 'orders'} `}
            <OrderLinks numbers={unpaid} />
            {`. If you have started to pay for ${unpaid.length === 1 ? 'it' : 'one'}, complete the payment or delete that order first.`}
          </li>
        )}
      </Part>
      <Part title="Kept">
        <li>
          {`Paid orders, because a shop must keep its invoices. They keep your name and delivery address ${describeRetention(years)}; for this year’s orders, that is the end of ${lastYear}. After that, they are anonymous. Your email address and phone number are removed from them now.`}
        </li>
        {unshipped.length > 0 && (
          <li>
            {unshipped.length === 1 ? 'Order ' : 'Orders '}
            <OrderLinks numbers={unshipped} />
            {` ${unshipped.length === 1 ? 'is' : 'are'} not shipped yet. We’ll still ship ${unshipped.length === 1 ? 'it' : 'them'} to you, but we can’t email you about ${unshipped.length === 1 ? 'it' : 'them'} anymore.`}
          </li>
        )}
        {!viewer.emailVerified && (
          <li>
            Contact messages and a newsletter subscription with your email address: it isn’t confirmed, so
            they may be someone else’s. If they’re yours,{' '}
            <Link to={findAccountPage(viewer)} className="link">
              confirm it
            </Link>{' '}
            first, and they are deleted, too.
          </li>
        )}
        {viewer.role === 'admin' && (
          <li>Your actions as an admin, with your email address, in the audit log and the stock history.</li>
        )}
      </Part>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <h2 className="mt-6 mb-2 text-xl">{title}</h2>
      <ul className="list-disc space-y-1 pl-5">{children}</ul>
    </>
  );
}

const listNumbers = (orders: Order[]) => [...new Set(orders.map(({ number }) => number))];

function OrderLinks({ numbers }: { numbers: string[] }) {
  return numbers.map((number, index) => (
    <span key={number}>
      {index > 0 && ', '}
      <Link to={`${orderPages}/${number}`} className="figures link">
        {number}
      </Link>
    </span>
  ));
}
