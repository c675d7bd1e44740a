import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { PrintedLine, PrintedPurchase, Printout } from '../../../../../contract/orders/printing.ts';
import { requireAdmin } from '../../../../client/route-access.ts';
import { formatDay } from '../../../../components/moment.tsx';
import { useMoney } from '../../../../shop.tsx';
import { LineTable } from './line-table.tsx';
import { PrintPage } from './print-page.tsx';
import { loadPrintout } from './printout.ts';
import { Block, Facts, Sheet } from './sheet.tsx';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  return { printout: await loadPrintout(args) };
}

export function Component() {
  const { printout } = useLoaderData<typeof loader>();
  return (
    <PrintPage
      title="Packing slips"
      description="What to pack, and where to send it."
      printout={printout}
      noun="packing slip"
    >
      {printout.purchases.map((purchase) => (
        <Slip key={purchase._id} shop={printout.shop} purchase={purchase} />
      ))}
    </PrintPage>
  );
}

/** The products to pack. A slip has no prices, except in refunds that concern the packer: the parcel may be a present. */
function Slip({ shop, purchase }: { shop: Printout['shop']; purchase: PrintedPurchase }) {
  const { number, userName, address, createdAt, lines, currency } = purchase;
  const toPack = lines.map(countToPack).filter((count) => count > 0);
  const pieces = toPack.reduce((sum, count) => sum + count, 0);
  return (
    <Sheet shop={shop} purchase={purchase} title="Packing slip">
      <Facts
        address={
          <Block label="Deliver to">
            <p className="text-base font-medium">{userName}</p>
            <p className="text-base">{address || 'No address given'}</p>
          </Block>
        }
      >
        <Block label="Ordered">{formatDay(createdAt)}</Block>
        <Block label="Contents">
          {pieces > 0
            ? `${formatQuantity(toPack.length, 'item')}, ${formatQuantity(pieces, 'piece')}`
            : 'Nothing to pack'}
        </Block>
      </Facts>
      <LineTable
        number={number}
        caption={`The items of order ${number}`}
        columns={['Packed', 'Item', 'Quantity']}
        numbers={['Quantity']}
      >
        {lines.map((line) => (
          <Line key={line._id} line={line} currency={currency} />
        ))}
      </LineTable>
    </Sheet>
  );
}

const isRefunded = ({ price, refunded }: PrintedLine) => refunded >= price;

/** The pieces that are still to be packed. */
function countToPack(line: PrintedLine): number {
  const { quantity, restocked = 0, isShipped } = line;
  return isShipped || isRefunded(line) ? 0 : quantity - restocked;
}

function Line({ line, currency }: { line: PrintedLine; currency: string }) {
  const { product, quantity, refunded, restocked = 0, isShipped, shippedAt } = line;
  const toPack = countToPack(line);
  const isReduced = restocked > 0 && !isShipped && !isRefunded(line);
  return (
    <tr className="break-inside-avoid border-b border-[#999]">
      <td className="w-20 py-2.5 pr-4 align-top sm:w-28">
        {toPack > 0 && <span className="block size-5 border-2" />}
        {isShipped && (shippedAt ? 'shipped on ' : 'shipped')}
        {shippedAt && <span className="sm:whitespace-nowrap">{formatDay(shippedAt)}</span>}
      </td>
      <td className="py-2.5 align-top wrap-anywhere">
        {product}
        {(refunded > 0 || restocked > 0) && !isShipped && <RefundNote line={line} currency={currency} />}
      </td>
      <td className="py-2.5 pl-4 text-right align-top text-base font-medium whitespace-nowrap">
        {isReduced ? `${toPack} of ${quantity}` : quantity}
      </td>
    </tr>
  );
}

/** Says how much of an unshipped line was refunded, and how many pieces were returned to stock. */
function RefundNote({ line, currency }: { line: PrintedLine; currency: string }) {
  const money = useMoney();
  const { refunded, restocked = 0 } = line;
  const amount = money.charged(refunded, currency);
  const pieces = formatQuantity(restocked, 'piece');
  let text = `${amount} refunded, ${pieces} returned to stock`;
  if (isRefunded(line)) text = 'Refunded: do not pack';
  else if (restocked === 0) text = `${amount} refunded: check the order before packing`;
  // The pieces of a refund that fails later may stay in stock.
  else if (refunded === 0)
    text = `${pieces} returned to stock, nothing refunded: check the order before packing`;
  return <strong className="block">{text}</strong>;
}
