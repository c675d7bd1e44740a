import type { ReactNode } from 'react';
import type { PrintedPurchase, Printout } from '../../../../../contract/orders/printing.ts';
import { Barcode } from './barcode.tsx';

type Props = {
  shop: Printout['shop'];
  purchase: PrintedPurchase;
  /** The document's name, such as "Packing slip". */
  title: string;
  /** The seller's tax number, with its label. Only invoices show it. */
  taxId?: string;
  children: ReactNode;
};

/** White paper, even in dark mode. When printed, it starts a new page and can take several pages. */
export function Page({ label, children }: { label: string; children: ReactNode }) {
  return (
    <article
      aria-label={label}
      className="mb-8 border border-edge bg-[#fff] p-6 text-sm text-[#000] [color-scheme:only_light] sm:p-10 print:mb-0 print:border-0 print:p-0 print:[&:not(:last-child)]:break-after-page"
    >
      {children}
    </article>
  );
}

/** One document about a purchase. */
export function Sheet({ shop, purchase: { number, barcode }, title, taxId, children }: Props) {
  return (
    <Page label={`${title} ${number}`}>
      <div className="mb-8 flex flex-wrap items-start justify-between gap-x-10 gap-y-6">
        <div className="min-w-0 grow basis-48 wrap-anywhere">
          <p className="font-serif text-xl">{shop.name}</p>
          <p className="whitespace-pre-line">{shop.address}</p>
          {taxId && <p>{taxId}</p>}
        </div>
        <div className="min-w-0 sm:w-56">
          <h2 className="font-serif text-xl">{title}</h2>
          <p className="figures mb-2 text-lg font-medium">{number}</p>
          <Barcode widths={barcode} label={number} />
        </div>
      </div>
      {children}
    </Page>
  );
}

/** An address and, to its right below the barcode, facts of one line each. */
export function Facts({ address, children }: { address: ReactNode; children: ReactNode }) {
  return (
    <div className="mb-8 flex flex-col gap-x-10 gap-y-4 sm:flex-row">
      <div className="min-w-0 grow">{address}</div>
      <div className="flex flex-col gap-y-4 sm:w-56 sm:shrink-0">{children}</div>
    </div>
  );
}

/** A labelled block of text; line breaks in it are kept. */
export function Block({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0 wrap-break-word">
      <p className="text-xs font-medium">{label}</p>
      <div className="whitespace-pre-line">{children}</div>
    </div>
  );
}
