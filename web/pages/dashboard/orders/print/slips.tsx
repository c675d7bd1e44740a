import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { PrintedPurchase, Printout } from '../../../../../contract/orders/printing.ts';
import { requireAdmin } from '../../../../client/route-access.ts';
import { formatDay } from '../../../../components/moment.tsx';
import { LineTable } from './line-table.tsx';
import { PrintPage } from './print-page.tsx';
import { loadPrintout } from './printout.ts';
import { Block, Sheet } from './sheet.tsx';

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

/** The products to pack. A slip has no prices: the parcel may be a present. */
function Slip({ shop, purchase }: { shop: Printout['shop']; purchase: PrintedPurchase }) {
  const { number, userName, address, createdAt, lines } = purchase;
  const packed = lines.filter(({ price, refunded }) => refunded < price);
  const pieces = packed.reduce((sum, { quantity }) => sum + quantity, 0);
  return (
    <Sheet shop={shop} purchase={purchase} title="Packing slip">
      <div className="mb-8 flex flex-wrap gap-x-10 gap-y-4">
        <Block label="Deliver to">
          <p className="text-base font-medium">{userName}</p>
          <p className="text-base">{address || 'No address given'}</p>
        </Block>
        <Block label="Ordered">{formatDay(createdAt)}</Block>
        <Block label="Contents">
          {`${formatQuantity(packed.length, 'item')}, ${formatQuantity(pieces, 'piece')}`}
        </Block>
      </div>
      <LineTable
        number={number}
        caption={`The items of order ${number}`}
        columns={['Packed', 'Item', 'Quantity']}
        numbers={['Quantity']}
      >
        {lines.map(({ _id, product, quantity, price, refunded }) => (
          <tr key={_id} className="break-inside-avoid border-b border-[#999]">
            <td className="w-16 py-2.5">{refunded < price && <span className="block size-5 border-2" />}</td>
            <td className="py-2.5 wrap-anywhere">
              {product}
              {refunded === price && <strong className="block">Refunded: do not pack</strong>}
              {refunded > 0 && refunded < price && (
                <strong className="block">Partly refunded: check the order before packing</strong>
              )}
            </td>
            <td className="py-2.5 pl-4 text-right text-base font-medium whitespace-nowrap">{quantity}</td>
          </tr>
        ))}
      </LineTable>
    </Sheet>
  );
}
