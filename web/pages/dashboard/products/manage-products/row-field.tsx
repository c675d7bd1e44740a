import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Product } from '../../../../../contract/catalogue/products.ts';
import { managedProductPages } from '../../../../../contract/page-addresses.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { useHydrated } from '../../../../client/hydration.ts';
import { Button } from '../../../../components/button.tsx';
import { Link } from '../../../../components/link.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { describedBy, editableControl } from '../../../../forms/fields/field.tsx';
import { type EditableField, saveField } from './save-field.ts';

type Props = {
  product: Product;
  field: EditableField;
  /** `Price`, for example. */
  label: string;
  /** The value as the admin would type it. */
  text: string;
  /** Shows a value. */
  format: (product: Product) => string;
  /** Called if the product may have changed; with the field's label if it was saved. */
  onChanged: (saved?: string) => Promise<unknown>;
  children: ReactNode;
};

type Result = 'saved' | 'changed';

/** A value that becomes a field when clicked. Enter saves, Escape cancels. Without scripts, the value links to the edit page. */
export function RowField({ product, field, label, text, format, onChanged, children }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const hydrated = useHydrated();
  const name = <span className="sr-only">{`edit ${label.toLowerCase()} of ${product.name}`}</span>;
  const linkStyle = 'link link-alone sm:justify-end';

  async function close(result: Result | undefined): Promise<void> {
    // Renders the button before it gets the focus.
    flushSync(() => setIsOpen(false));
    button.current?.focus();
    if (result) await onChanged(result === 'saved' ? label : undefined);
  }

  if (isOpen)
    return (
      <div className="relative">
        {/* Keeps the column's width and the row's height. */}
        <span className={`${linkStyle} invisible @max-[43rem]:hidden`}>{children}</span>
        <Editor product={product} field={field} label={label} text={text} format={format} onClose={close} />
      </div>
    );
  return hydrated ? (
    <button
      ref={button}
      type="button"
      className={`${linkStyle} cursor-pointer print:inline!`}
      onClick={() => setIsOpen(true)}
    >
      {children}
      {name}
    </button>
  ) : (
    <Link to={`${managedProductPages}/${product._id}`} className={linkStyle}>
      {children}
      {name}
    </Link>
  );
}

type EditorProps = Omit<Props, 'onChanged' | 'children'> & {
  onClose: (result: Result | undefined) => Promise<void>;
};

function Editor({ product, field, label, text, format, onClose }: EditorProps) {
  const [known, setKnown] = useState(product);
  const [confirmedPrice, setConfirmedPrice] = useState<number>();
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const id = `${field}-${product._id}`;

  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: an error makes the form higher.
  useEffect(() => form.current?.scrollIntoView({ block: 'nearest' }), [error]);

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      const typed = String(new FormData(event.currentTarget).get('value') ?? '');
      const result = await saveField(known, field, typed, confirmedPrice);
      if ('saved' in result) return await onClose('saved');
      if ('error' in result) setError(result.error);
      else if ('largePrice' in result) {
        setConfirmedPrice(result.largePrice);
        const next = { ...known, price: result.largePrice };
        setError(
          `That is a large change, from ${format(known)} to ${format(next)}. Save again to confirm it.`,
        );
      } else {
        setKnown(result.current);
        setError(`Another admin has changed it to ${format(result.current)}. Save again to overwrite it.`);
      }
    } catch (failure) {
      setError(getErrorMessage(failure));
    }
    setBusy(false);
    input.current?.focus();
  }

  const cancel = (event: KeyboardEvent) => {
    if (event.key === 'Escape') void onClose(known === product ? undefined : 'changed');
  };

  return (
    // In a table, the form covers the row instead of widening its column.
    <form
      ref={form}
      noValidate
      onSubmit={save}
      onKeyDown={cancel}
      className="min-w-36 scroll-my-4 @min-[43rem]:absolute @min-[43rem]:-top-3 @min-[43rem]:-right-3 @min-[43rem]:w-60 @min-[43rem]:border @min-[43rem]:border-edge @min-[43rem]:bg-leaf @min-[43rem]:p-3 @min-[43rem]:text-left @min-[43rem]:whitespace-normal @min-[43rem]:focus-within:z-10"
    >
      <label htmlFor={id} className="mb-1 hidden text-sm font-medium @min-[43rem]:block">
        {label}
      </label>
      <input
        ref={input}
        id={id}
        name="value"
        aria-label={`${label} of ${product.name}`}
        defaultValue={text}
        inputMode={field === 'price' ? 'decimal' : 'numeric'}
        enterKeyHint="done"
        autoComplete="off"
        {...describedBy(id, undefined, error)}
        className={`${editableControl} figures`}
      />
      <span role="status">{error && <ErrorMessage id={`${id}-error`}>{error}</ErrorMessage>}</span>
      <span className="mt-2 flex flex-wrap gap-2">
        <Button type="submit" busy={busy} className="sm:px-3">
          Save
        </Button>
        <Button
          kind="plain"
          className="sm:px-3"
          onClick={() => void onClose(known === product ? undefined : 'changed')}
        >
          Cancel
        </Button>
      </span>
    </form>
  );
}
