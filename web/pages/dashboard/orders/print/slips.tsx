import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { PrintedLine, PrintedPurchase, Printout } from '../../../../../contract/orders/printing.ts';
import { requireAdmin } from '../../../../client/route-access.ts';
import { useShopDay } from '../../../../components/moment.tsx';
import { useMoney } from '../../../../shop.tsx';
import { LineTable } from './line-table.tsx';
import { PrintPage } from './print-page.tsx';
import { describeWeight, loadPrintout } from './printout.ts';
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

/** The products to pack. The parcel may be a present, so only a refund that the packer must check shows an amount. */
function Slip({ shop, purchase }: { shop: Printout['shop']; purchase: PrintedPurchase }) {
  const formatDay = useShopDay();
  const { number, userName, address, createdAt, lines, currency } = purchase;
  const toPack = lines.map((line) => line.toPack).filter((count) => count > 0);
  const weight = describeWeight(lines);
  const pieces = toPack.reduce((sum, count) => sum + count, 0);
  return (
    <Sheet shop={shop} purchase={purchase} title="Packing slip">
      <Facts
        address={
          <Block label={purchase.pickup ? 'Collected by' : 'Deliver to'}>
            <p className="text-base font-medium">{userName}</p>
            <p className="text-base">
              {purchase.pickup ? `Collect it: ${purchase.pickup}` : address || 'No address given'}
            </p>
            {purchase.addressChangedAt && (
              <strong className="block">{`Delivery details changed after the payment, on ${formatDay(purchase.addressChangedAt)}`}</strong>
            )}
          </Block>
        }
      >
        <Block label="Ordered">{formatDay(createdAt)}</Block>
        {purchase.delivery && <Block label="Delivery">{purchase.delivery}</Block>}
        {weight && <Block label="Weight of the contents">{weight}</Block>}
        {purchase.remark && <Block label="Remark">{purchase.remark}</Block>}
        <Block label="Contents">
          {pieces > 0
            ? `${formatQuantity(toPack.length, 'tool')}, ${formatQuantity(pieces, 'piece')}`
            : 'Nothing to pack'}
        </Block>
      </Facts>
      <LineTable
        note={`Order ${number}`}
        caption={`The items of order ${number}`}
        columns={['Packed', 'Item', 'Quantity']}
        numberColumns={['Quantity']}
      >
        {lines.map((line) => (
          <Line key={line._id} line={line} currency={currency} />
        ))}
      </LineTable>
    </Sheet>
  );
}

function Line({ line, currency }: { line: PrintedLine; currency: string }) {
  const formatDay = useShopDay();
  const { product, quantity, toPack, shippedQuantity = 0, shippedAt } = line;
  const isShipped = shippedQuantity > 0 && toPack === 0;
  const packed = isShipped ? shippedQuantity : toPack;
  const isReduced = packed < quantity && packed > 0;
  return (
    <tr className="break-inside-avoid border-b border-[#999]">
      <td className="w-20 py-2.5 align-top sm:w-28">
        {toPack > 0 && <span className="block size-5 border-2" />}
        {isShipped && (shippedAt ? 'shipped on ' : 'shipped')}
        {shippedAt && <span className="sm:whitespace-nowrap">{formatDay(shippedAt)}</span>}
      </td>
      <td className="py-2.5 align-top wrap-anywhere">
        {product}
        {shippedQuantity > 0 && toPack > 0 && (
          <span className="block">{`${formatQuantity(shippedQuantity, 'piece')} shipped already`}</span>
        )}
        <RefundNote line={line} currency={currency} />
        {line.isDisputed && toPack > 0 && (
          <strong className="block">The payment is disputed: check the order before packing</strong>
        )}
      </td>
      <td data-label="Quantity" className="number py-2.5 text-base leading-5 font-medium">
        {isReduced ? `${packed} of ${quantity}` : quantity}
      </td>
    </tr>
  );
}

/** Says what the packer must know about the refunds of a line, or its chargeback. */
function RefundNote({ line, currency }: { line: PrintedLine; currency: string }) {
  const money = useMoney();
  const { refunded, removedQuantity = 0, hasUnknownRefund = false, isChargedBack = false, toPack } = line;
  const isShipped = line.shippedQuantity !== undefined && toPack === 0;
  const check = 'check the order before packing';
  let text = `${formatQuantity(removedQuantity, 'piece')} refunded`;
  if (toPack === 0 && !isShipped) text = `${isChargedBack ? 'Charged back' : 'Refunded'}: do not pack`;
  else if (!isShipped && hasUnknownRefund)
    text =
      refunded > 0
        ? `${money.charged(refunded, currency)} refunded: ${check}`
        : `A refund names no tool: ${check}`;
  // Only the price was lowered.
  else if (removedQuantity === 0) return null;
  return <strong className="block">{text}</strong>;
}
