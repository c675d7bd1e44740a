import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { chargeNames } from '../../../../../contract/delivery/charge-names.ts';
import type { PrintedPurchase, Printout } from '../../../../../contract/orders/printing.ts';
import { requireViewer } from '../../../../client/route-access.ts';
import { useShopDay } from '../../../../components/moment.tsx';
import { useMoney } from '../../../../shop.tsx';
import { LineTable } from './line-table.tsx';
import { NoAddress } from './no-address.tsx';
import { PrintPage } from './print-page.tsx';
import { loadPrintout } from './printout.ts';
import { Block, Facts, Sheet } from './sheet.tsx';

/** Admins print anyone's invoices, customers their own. */
export async function loader(args: LoaderFunctionArgs) {
  const viewer = requireViewer(args);
  return { viewer, printout: await loadPrintout(args) };
}

export function Component() {
  const { viewer, printout } = useLoaderData<typeof loader>();
  const { shop, purchases } = printout;
  return (
    <PrintPage
      title="Invoices"
      description="What was ordered and paid."
      printout={printout}
      noun="invoice"
      notice={viewer.role === 'admin' && !shop.address && <NoAddress />}
    >
      {purchases.map((purchase) => (
        <Invoice key={purchase._id} shop={shop} purchase={purchase} />
      ))}
    </PrintPage>
  );
}

function Invoice({ shop, purchase }: { shop: Printout['shop']; purchase: PrintedPurchase }) {
  const formatDay = useShopDay();
  const { number, user, userName, address, createdAt, paidAt, lines, currency } = purchase;
  const money = useMoney();
  const formatAmount = (amount: number) => money.charged(amount, currency);
  return (
    <Sheet shop={shop} purchase={purchase} title="Invoice" taxId={shop.taxId}>
      <Facts
        address={
          <Block label="Customer">
            <p className="font-medium">{userName}</p>
            <p>{address}</p>
            <p>{user}</p>
          </Block>
        }
      >
        {purchase.billTo && <Block label="Bill to">{purchase.billTo}</Block>}
        <Block label="Ordered">{formatDay(createdAt)}</Block>
        <Block label="Payment">{paidAt ? `Paid by card on ${formatDay(paidAt)}` : 'Paid by card'}</Block>
      </Facts>
      <LineTable
        note={`Order ${number}`}
        caption={`The items of order ${number}`}
        columns={['Item', 'Quantity', 'Unit price', 'Amount']}
        numberColumns={['Quantity', 'Unit price', 'Amount']}
        wideOnly="Unit price"
        totals={<Totals purchase={purchase} formatAmount={formatAmount} />}
      >
        {lines.map(({ _id, product, quantity, unitPrice, price }) => (
          <tr key={_id} className="break-inside-avoid border-b border-[#999]">
            <td className="py-2 wrap-anywhere">
              {product}
              <span className="block sm:hidden">{`${formatAmount(unitPrice)} each`}</span>
            </td>
            <td data-label="Quantity" className={amountCell}>
              {quantity}
            </td>
            <td className={`${amountCell} max-sm:hidden`}>{formatAmount(unitPrice)}</td>
            <td data-label="Amount" className={amountCell}>
              {formatAmount(price)}
            </td>
          </tr>
        ))}
      </LineTable>
    </Sheet>
  );
}

const amountCell = 'number py-2';

type TotalsProps = { purchase: PrintedPurchase; formatAmount: (amount: number) => string };

/** The total that was charged, and the refunds. */
function Totals({ purchase: { charges = [], price, refunds, refunded }, formatAmount }: TotalsProps) {
  const formatDay = useShopDay();
  return (
    <>
      {charges.map(({ kind, label, amount }) => (
        <TotalRow key={kind} term={`${chargeNames[kind]}: ${label}`} amount={formatAmount(amount)} />
      ))}
      <TotalRow term="Total" amount={formatAmount(price)} strong />
      {refunds.map(({ _id, product, quantity = 0, amount, status, createdAt }) => (
        <TotalRow
          key={_id}
          term={`${status === 'pending' ? 'Refund pending since' : 'Refunded on'} ${formatDay(createdAt)}: ${quantity > 0 ? `${quantity} × ` : ''}${product}`}
          amount={`−${formatAmount(amount)}`}
        />
      ))}
      {refunds.length > 0 && (
        <TotalRow term="Total after refunds" amount={formatAmount(price - refunded)} strong />
      )}
    </>
  );
}

function TotalRow({ term, amount, strong = false }: { term: string; amount: string; strong?: boolean }) {
  const weight = strong ? 'font-semibold' : 'font-normal';
  return (
    <tr className={strong ? 'break-inside-avoid text-base' : 'break-inside-avoid'}>
      <td className="max-sm:hidden" />
      <th scope="row" colSpan={2} className={`py-2 text-right align-top wrap-anywhere ${weight}`}>
        {term}
      </th>
      <td className={`${amountCell} ${weight}`}>{amount}</td>
    </tr>
  );
}
