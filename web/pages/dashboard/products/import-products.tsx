import { type DragEvent, useEffect, useRef, useState } from 'react';
import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { maxImportBytes } from '../../../../contract/catalogue/product-file.ts';
import type { ImportReport } from '../../../../contract/catalogue/product-import.ts';
import { manageProductsPage } from '../../../../contract/page-addresses.ts';
import { storefrontPaths } from '../../../../contract/paths.ts';
import { getErrorMessage } from '../../../client/api/error-message.ts';
import { createFormKey } from '../../../client/api/idempotency.ts';
import { requireAdmin } from '../../../client/route-access.ts';
import { getSession } from '../../../client/session.ts';
import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';
import { Link } from '../../../components/link.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useSettings } from '../../../shop.tsx';
import {
  describeCounts,
  describeImport,
  describeLargeChanges,
  describeSkipping,
} from './import-products/columns.ts';
import { CompletionForm, type TypedCells, toCompleted } from './import-products/completion.tsx';
import { FileHelp } from './import-products/file-help.tsx';
import { type Heading, HeadingForm, keepChoices, readHeadings } from './import-products/heading-form.tsx';
import { ImportPreview } from './import-products/preview.tsx';

export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args);
  return { formKey: createFormKey() };
}

/** `content` is a copy, so that the file that is imported is the one that was previewed. `key` makes a repeated import harmless. */
type Chosen = { name: string; content: Blob; key: string };
/** `columns` name the file's columns if its own headings do not; `skip` skips rows that match no product. */
type Query = { columns?: string; skip?: 'unmatched' };
/** `completed` has the values typed for incomplete new products, as JSON. */
type Previewed = { query: Query; report: ImportReport; completed: string };

export function Component() {
  const { formKey } = useLoaderData<typeof loader>();
  const { apiBase, chargedCurrency } = useSettings();
  const [count, setCount] = useState(0);
  const [chosen, setChosen] = useState<Chosen>();
  const [headings, setHeadings] = useState<Heading[]>();
  const [previewed, setPreviewed] = useState<Previewed>();
  const [arePricesConfirmed, setArePricesConfirmed] = useState(false);
  const [done, setDone] = useState<ImportReport>();
  const typed = useRef<TypedCells>(new Map());
  /** Whether something was typed since the preview was made. */
  const [isOutdated, setIsOutdated] = useState(false);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState<'reading' | 'importing'>();
  const previewSection = useRef<HTMLElement>(null);
  // Otherwise, the preview's first notices would be behind the button at the bottom of the window.
  useEffect(() => {
    if (chosen) previewSection.current?.scrollIntoView();
  }, [chosen]);

  async function run(state: 'reading' | 'importing', work: () => Promise<void>): Promise<void> {
    setBusy(state);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(getErrorMessage(thrown));
    } finally {
      setBusy(undefined);
    }
  }

  function choose(file: File | undefined): void {
    if (!file || busy) return;
    const earlier = headings;
    setChosen(undefined);
    setHeadings(undefined);
    setPreviewed(undefined);
    setDone(undefined);
    if (file.size > maxImportBytes) {
      setError(`${file.name} is larger than ${maxImportBytes / 1_000_000} MB.`);
      return;
    }
    setCount(count + 1);
    void run('reading', async () => {
      const content = new Blob([await file.arrayBuffer()]);
      const opened = { name: file.name, content, key: `${formKey}-${count}` };
      await preview(opened, {}, '').catch((error: unknown) => {
        const found = readHeadings(error, chargedCurrency);
        if (!found) throw error;
        setHeadings(keepChoices(found, earlier));
      });
      setChosen(opened);
    });
  }

  async function preview(
    { content }: Chosen,
    query: Query,
    // The typed values refer to the rows of the file that the page shows, so the default is right for that file only.
    completed = previewed ? toCompleted(previewed.report.incomplete, typed.current) : '',
  ): Promise<void> {
    const { body, ...added } = addCompleted(content, completed);
    const options = { query: { ...query, ...added, dry: '1' }, body } as const;
    const report = await getSession().client.call('importProducts', options);
    setPreviewed({ query, report, completed });
    setIsOutdated(false);
    setArePricesConfirmed(report.largePriceChanges === 0);
  }

  const importFile = ({ content, key }: Chosen, { query, report, completed }: Previewed) =>
    run('importing', async () => {
      const { body, ...added } = addCompleted(content, completed);
      setDone(
        await getSession().client.call('importProducts', {
          query: { ...query, ...added, encoding: report.encoding },
          body,
          idempotencyKey: key,
        }),
      );
      setChosen(undefined);
    });

  return (
    <>
      <PageHeading title="Import Products" description="Add and change many products with one file." />
      <p className="mb-8 max-w-text text-soft">
        {
          'Export all products, edit the file in a spreadsheet, and import it again. A preview shows every change before anything is saved. To record a delivery, import a file with the columns name and delivery: it adds the pieces to the stock. A supplier’s file may have other headings: you then choose what they mean. '
        }
        <a
          href={`${apiBase}${storefrontPaths.listProducts.path}?format=csv`}
          download="products.csv"
          className="link"
        >
          Export all products
        </a>
      </p>
      <noscript>
        <Notice>
          Importing a file needs JavaScript: turn it on in this browser. The export works without it.
        </Notice>
      </noscript>
      {error && <Notice error>{error}</Notice>}
      {done && (
        <Notice announced done>
          {`Imported. ${describeCounts(done)} `}
          <Link to={manageProductsPage} className="link">
            Manage Products
          </Link>
        </Notice>
      )}
      <FileField onChoose={choose} />
      <p role="status" className="mb-6 text-soft empty:hidden">
        {busy === 'reading' && 'Reading the file…'}
      </p>
      {chosen && (
        <section ref={previewSection} className="scroll-mt-4">
          <h2 className="mb-4 text-2xl wrap-anywhere">{`Preview of ${chosen.name}`}</h2>
          {headings && (
            <HeadingForm
              headings={headings}
              busy={busy === 'reading'}
              onChoose={(columns) => {
                setHeadings(headings.map((heading, index) => ({ ...heading, column: columns[index] ?? '' })));
                setPreviewed(undefined);
                void run('reading', () => preview(chosen, { columns: columns.join(',') }, ''));
              }}
            />
          )}
          {previewed && (
            <ImportPreview
              report={previewed.report}
              hasMenus={headings !== undefined}
              skips={previewed.query.skip !== undefined}
            >
              {previewed.report.unmatched > 0 && (
                <label className="mb-6 flex min-h-11 items-center gap-3">
                  <input
                    type="checkbox"
                    className="size-5 shrink-0"
                    checked={previewed.query.skip !== undefined}
                    aria-disabled={busy !== undefined}
                    onChange={() => {
                      if (!busy) void run('reading', () => preview(chosen, toggleSkip(previewed.query)));
                    }}
                  />
                  {describeSkipping(previewed.report.unmatched)}
                </label>
              )}
              {previewed.report.incomplete.length > 0 && (
                <CompletionForm
                  report={previewed.report}
                  typed={typed.current}
                  busy={busy === 'reading'}
                  onType={() => setIsOutdated(true)}
                  onPreview={() => {
                    if (!busy) void run('reading', () => preview(chosen, previewed.query));
                  }}
                />
              )}
            </ImportPreview>
          )}
          {previewed && !isOutdated && canImport(previewed.report) && (
            <div className="bottom-bar sticky bottom-0 z-20 border border-edge bg-leaf px-4 py-3 print:hidden">
              {previewed.report.largePriceChanges > 0 && (
                <label className="mb-3 flex min-h-11 items-center gap-3">
                  <input
                    type="checkbox"
                    className="size-5 shrink-0"
                    checked={arePricesConfirmed}
                    onChange={(event) => setArePricesConfirmed(event.target.checked)}
                  />
                  {describeLargeChanges(previewed.report.largePriceChanges)}
                </label>
              )}
              <Button
                busy={busy !== undefined}
                aria-disabled={!arePricesConfirmed}
                onClick={() => {
                  if (arePricesConfirmed) void importFile(chosen, previewed);
                }}
              >
                {`Import ${describeImport(previewed.report)}`}
              </Button>
            </div>
          )}
        </section>
      )}
      <FileHelp />
    </>
  );
}

/** The body of a request, which is the file followed by the values for its rows, and the values' size in bytes. */
function addCompleted(content: Blob, completed: string): { body: Blob; completed?: string } {
  if (completed === '') return { body: content };
  const values = new Blob([completed]);
  return { body: new Blob([content, values]), completed: `${values.size}` };
}

const toggleSkip = ({ skip, ...query }: Query): Query => (skip ? query : { ...query, skip: 'unmatched' });

const canImport = ({ errorCount, create, update }: ImportReport) => errorCount === 0 && create + update > 0;

/** A file input onto which a file can also be dropped. */
function FileField({ onChoose }: { onChoose: (file: File | undefined) => void }) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onChoose(event.dataTransfer.files[0]);
  };
  return (
    <fieldset
      aria-label="File to import"
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`mb-6 min-w-0 border bg-leaf p-4 noscript:hidden ${isOver ? 'border-blued' : 'border-edge'}`}
    >
      <label htmlFor="file" className="mb-1.5 block text-sm font-medium">
        CSV file
      </label>
      <p id="file-hint" className="mb-3 text-sm text-soft">
        Choose a file or drop it here. A preview comes first.
      </p>
      <input
        id="file"
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        aria-describedby="file-hint"
        onChange={(event) => {
          onChoose(event.currentTarget.files?.[0]);
          // Cleared, so that the same file can be chosen again after a correction. The input's text is transparent, because it
          // would say that no file is chosen.
          event.currentTarget.value = '';
        }}
        className="block w-full cursor-pointer text-sm text-transparent file:mr-3 file:min-h-11 file:cursor-pointer file:border file:border-edge file:bg-leaf file:px-4 file:font-medium file:text-blued"
      />
    </fieldset>
  );
}
