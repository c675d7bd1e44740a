import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Printout } from '../../../../../contract/orders/printing.ts';
import { requireAdmin } from '../../../../client/route-access.ts';
import { LineTable } from './line-table.tsx';
import { PrintPage } from './print-page.tsx';
import { describeWeight, loadPrintout } from './printout.ts';
import { Page } from './sheet.tsx';

/** A product to fetch for all orders. */
type Pick = { shelf: string; product: string; pieces: number; orders: string[] };

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  const printout = await loadPrintout(args);
  return { printout, picks: listPicks(printout) };
}

/** In the order of the shelves; products without one come last. */
function listPicks({ purchases }: Printout): Pick[] {
  const picks = new Map<string, Pick>();
  for (const { number, lines } of purchases)
    for (const { product, toPack, packing } of lines) {
      if (toPack === 0) continue;
      const shelf = packing?.shelf ?? '';
      const key = JSON.stringify([shelf, product]);
      const pick = picks.get(key) ?? { shelf, product, pieces: 0, orders: [] };
      pick.pieces += toPack;
      pick.orders.push(toPack === 1 ? number : `${number} × ${toPack}`);
      picks.set(key, pick);
    }
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  return [...picks.values()].sort(
    (one, other) =>
      Number(one.shelf === '') - Number(other.shelf === '') ||
      compare(one.shelf, other.shelf) ||
      compare(one.product, other.product),
  );
}

/** The products to fetch from the shelves for all orders together, and the weights of the parcels. */
export function Component() {
  const { printout, picks } = useLoaderData<typeof loader>();
  const parcels = printout.purchases.filter(({ lines }) => lines.some(({ toPack }) => toPack > 0));
  const pieces = picks.reduce((sum, pick) => sum + pick.pieces, 0);
  return (
    <PrintPage
      title="Pick list"
      description="What to fetch from the shelves for all orders together."
      printout={printout}
      noun="pick list"
      count={1}
    >
      {printout.purchases.length > 0 && (
        <Page label="Pick list">
          <h2 className="font-serif text-xl">Pick list</h2>
          <p className="mb-6">
            {`${formatQuantity(parcels.length, 'order')}, ${formatQuantity(pieces, 'piece')}`}
          </p>
          <LineTable
            note="Pick list"
            caption="The products to fetch"
            columns={['Shelf', 'Item and orders', 'Pieces']}
            numberColumns={['Pieces']}
          >
            {picks.map(({ shelf, product, pieces: count, orders }) => (
              <tr key={`${shelf} ${product}`} className="break-inside-avoid border-b border-[#999]">
                <td className="w-20 py-2.5 align-top text-base leading-5 font-medium wrap-anywhere sm:w-28">
                  {shelf || '–'}
                </td>
                <td className="py-2.5 pr-4 align-top wrap-anywhere">
                  <span className="block font-medium">{product}</span>
                  {orders.map((order) => (
                    <span key={order} className="mr-4 inline-flex items-center gap-1.5 whitespace-nowrap">
                      <span className="inline-block size-3.5 border" />
                      {order}
                    </span>
                  ))}
                </td>
                <td data-label="Pieces" className="number py-2.5 text-base leading-5 font-medium">
                  {count}
                </td>
              </tr>
            ))}
          </LineTable>
          <h3 className="mt-8 mb-3 font-serif text-lg">Parcels</h3>
          <LineTable
            note="Pick list"
            caption="The parcels"
            columns={['Order', 'Weight of the contents']}
            numberColumns={[]}
          >
            {parcels.map(({ _id, number, userName, lines }) => (
              <tr key={_id} className="break-inside-avoid border-b border-[#999]">
                <td className="py-2.5 pr-4 align-top wrap-anywhere">{`${number}, ${userName}`}</td>
                <td data-label="Weight" className="py-2.5 align-top">
                  {describeWeight(lines) || 'Not known'}
                </td>
              </tr>
            ))}
          </LineTable>
        </Page>
      )}
    </PrintPage>
  );
}
