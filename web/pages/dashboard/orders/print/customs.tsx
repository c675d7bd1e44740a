import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { nameCountry } from '../../../../../contract/delivery/countries.ts';
import type { PrintedPurchase, Printout } from '../../../../../contract/orders/printing.ts';
import { requireAdmin } from '../../../../client/route-access.ts';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { useMoney } from '../../../../shop.tsx';
import { sumAmounts } from '../../account/my-orders/purchases.ts';
import { LineTable } from './line-table.tsx';
import { NoAddress } from './no-address.tsx';
import { PrintPage } from './print-page.tsx';
import { loadPrintout, weighLeft } from './printout.ts';
import { Block, Sheet } from './sheet.tsx';

type Declared = PrintedPurchase & { customs: NonNullable<PrintedPurchase['customs']> };

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  const printout = await loadPrintout(args);
  const origins = new Set(
    printout.purchases.flatMap(({ lines }) => lines.flatMap(({ packing }) => packing?.origin ?? [])),
  );
  return {
    printout,
    countries: Object.fromEntries([...origins].map((code) => [code, nameCountry(code)])),
  };
}

const isDeclared = (purchase: PrintedPurchase): purchase is Declared => purchase.customs !== undefined;

/** The customs declarations of those parcels that cross a customs border. */
export function Component() {
  const { printout, countries } = useLoaderData<typeof loader>();
  const declared = printout.purchases.filter(isDeclared);
  const others = printout.purchases.length - declared.length;
  return (
    <PrintPage
      title="Customs declarations"
      description="For parcels that cross a customs border."
      printout={printout}
      noun="customs declaration"
      count={declared.length}
      notice={
        <>
          {others > 0 && (
            <Notice>
              {others === 1
                ? 'One of the orders has no declaration: it crosses no customs border, or is packed already.'
                : `${others} of the orders have no declaration: they cross no customs border, or are packed already.`}
            </Notice>
          )}
          {!printout.shop.address && <NoAddress />}
        </>
      }
    >
      {declared.map((purchase) => (
        <Declaration key={purchase._id} shop={printout.shop} purchase={purchase} countries={countries} />
      ))}
    </PrintPage>
  );
}

type Props = { shop: Printout['shop']; purchase: Declared; countries: Record<string, string> };

/** The contents of the Universal Postal Union's forms CN 22 and CN 23; the CN 23 also has addresses, postage and the invoice. */
function Declaration({ shop, purchase, countries }: Props) {
  const money = useMoney();
  const { number, userName, address, lines, customs, charges = [], currency } = purchase;
  const isLong = customs.form === 'CN23';
  const left = lines.filter(({ toPack }) => toPack > 0);
  const weight = weighLeft(lines);
  const nameOf = (code: string | undefined) => (code === undefined ? blank : (countries[code] ?? code));
  const postage = sumAmounts(charges.map(({ amount }) => amount));
  // Customs officers of other countries read the amounts: a sign such as $ could be several currencies.
  const value = `Value (${currency})`;
  return (
    <Sheet shop={shop} purchase={purchase} title={`Customs declaration ${customs.form.replace('CN', 'CN ')}`}>
      <div className="mb-6 grid gap-x-10 gap-y-4 sm:grid-cols-2">
        <Block label="To">
          <p className="font-medium">{userName}</p>
          <p>{address}</p>
        </Block>
        <Block label="Category of item">Sale of goods</Block>
        {isLong && <Block label={`Postal charges (${currency})`}>{money.charged(postage, currency)}</Block>}
        {isLong && <Block label="Invoice number">{number}</Block>}
      </div>
      <LineTable
        note={`Order ${number}`}
        caption={`The contents of order ${number}`}
        columns={['Quantity and contents', 'Net weight', value]}
        numberColumns={['Net weight', value]}
        totals={
          <tr>
            <td className="py-2.5 font-medium">Total</td>
            <td data-label="Net weight" className="number py-2.5 font-medium">
              {weight && !weight.isPartial ? formatKilograms(weight.grams) : blank}
            </td>
            <td data-label={value} className="number py-2.5 font-medium">
              {money.charged(customs.value, currency)}
            </td>
          </tr>
        }
      >
        {left.map(({ _id, product, toPack, unitPrice, packing = {} }) => (
          <tr key={_id} className="break-inside-avoid border-b border-[#999]">
            <td className="py-2.5 pr-4 align-top wrap-anywhere">
              {`${toPack} × ${product}`}
              <span className="block">
                {`HS code: ${packing.hsCode ?? blank}. Origin: ${nameOf(packing.origin)}`}
              </span>
            </td>
            <td data-label="Net weight" className="number py-2.5 align-top">
              {packing.weight === undefined ? blank : formatKilograms(packing.weight * toPack)}
            </td>
            <td data-label={value} className="number py-2.5 align-top">
              {money.charged(Math.round(unitPrice * toPack * 100) / 100, currency)}
            </td>
          </tr>
        ))}
      </LineTable>
      <p className="mt-6 mb-10">
        I certify that the particulars given in this declaration are correct, and that this item does not
        contain any dangerous article or articles prohibited by legislation or by postal or customs
        regulations.
      </p>
      <p className="flex gap-x-6">
        <span className="grow border-t pt-1">Date and sender’s signature</span>
        <span className="grow border-t pt-1">Gross weight with packaging</span>
      </p>
    </Sheet>
  );
}

/** To fill in by hand. */
const blank = '________';

const formatKilograms = (grams: number): string => `${grams / 1000} kg`;
