import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Product } from '../../../../../contract/catalogue/products.ts';
import type { StockChange } from '../../../../../contract/catalogue/stock.ts';
import { managedProductPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { Link } from '../../../../components/link.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { Cell } from '../../../../components/table.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { describedBy, editableControl } from '../../../../forms/fields/field.tsx';
import { HiddenFields } from '../../../../forms/fields/hidden-fields.tsx';
import { KeyField } from '../../../../forms/fields/key-field.tsx';
import { KeptInput } from '../../../../forms/kept-input.tsx';
import { usePageForm } from '../../../../forms/use-page-form.tsx';
import { useRejectedForm } from '../../../../forms/use-rejected-form.ts';
import { rowButton } from '../../row-button.ts';
import { countShelf } from '../stock/adjust.ts';
import { formatChange } from '../stock/changes-table.tsx';
import { countForm } from './count.ts';

type Props = {
  product: Product;
  viewer: Viewer;
  formKey: string;
  category: string;
  /** The product's latest count, if it is recent. */
  count: Pick<StockChange, 'change' | 'createdAt'> | undefined;
  /** Moves the focus to the next product. */
  onNext: () => void;
  /** Called with a code that was scanned into the field. */
  onScan: (code: string) => void;
  /** Called when the field gets or loses an unsaved count, or when the shop rejects it. */
  onInput: (input: RowInput | undefined) => void;
};

/** Unsaved input in a row. `isRejected`: the shop has rejected it, or it is left over from an earlier visit. */
export type RowInput = { isRejected: boolean };

/** This many digits are a scanned code: no shelf has a hundred thousand pieces. */
const minCodeLength = 6;

/** A product to count: type the number of pieces and press Enter, which moves on to the next product. */
export function CountRow({ product, viewer, formKey, category, count, onNext, onScan, onInput }: Props) {
  const { _id, name } = product;
  const [counted, setCounted] = useState(count);
  const [shown, setShown] = useState('');
  const reads = useRef(0);
  const rejected = useRejectedForm(countForm.name);
  const form = usePageForm(countForm, {
    viewer,
    posted: rejected?.values.product === _id ? rejected : undefined,
    formKey: `${formKey}-${_id}`,
    draft: _id,
    onDone({ change }, { reset, texts }) {
      setCounted({ change, createdAt: new Date().toISOString() });
      forgetShelf();
      setText((current) => (current === texts.pieces ? '' : current));
      reset();
    },
  });
  const pieces = form.field('pieces');
  const [text, setText] = useState(pieces.defaultValue);
  const hasText = text.trim() !== '';
  const isRejected = hasText && (form.rejected !== undefined || form.draft.isKept);
  const error = pieces.error ?? (hasText ? form.root : undefined);
  const id = `pieces-${_id}`;

  const reportInput = useEffectEvent(() => onInput(hasText ? { isRejected } : undefined));
  // biome-ignore lint/correctness/useExhaustiveDependencies: these two are what is reported.
  useEffect(() => reportInput(), [hasText, isRejected]);

  function forgetShelf() {
    reads.current += 1;
    setShown('');
  }

  /**
   * Remembers the expected number when counting starts, so that a later shipment is detected. If the request fails, sending the
   * form reads the number. Late responses to earlier requests are ignored.
   */
  async function readShelf() {
    reads.current += 1;
    const read = reads.current;
    const product = await getSession()
      .client.call('getProduct', { params: { id: _id } })
      .catch(() => undefined);
    if (read !== reads.current) return;
    setShown(product?.ordered === undefined ? '' : String(countShelf(product)));
  }

  function send(event: FormEvent<HTMLFormElement>) {
    const field = event.currentTarget.elements.namedItem('pieces');
    const typed = field instanceof HTMLInputElement ? field.value.trim() : '';
    if (field instanceof HTMLInputElement && typed.length >= minCodeLength) {
      event.preventDefault();
      field.value = '';
      setText('');
      onScan(typed);
      return;
    }
    const isWrong = Object.keys(countForm.check(new FormData(event.currentTarget))).length > 0;
    form.props.onSubmit(event);
    if (!isWrong) onNext();
  }

  return (
    <tr>
      <Cell>
        <Link
          to={`${managedProductPages}/${_id}/stock`}
          className="link block w-fit py-0.5 font-serif text-lg leading-tight wrap-anywhere max-sm:link-alone"
        >
          {name}
        </Link>
        {product.category && (
          <span className="block text-sm text-soft wrap-anywhere">{product.category}</span>
        )}
      </Cell>
      <Cell label="Counted">
        <form {...form.props} onSubmit={send} className="@min-[43rem]:w-80">
          <HiddenFields form={form} />
          {/* A count that is being sent is kept, too: it may be rejected after the user has left the page. */}
          <KeptInput isQuiet isSent={form.isDone} draft={form.draft} email={viewer.email} />
          <input type="hidden" name="product" value={_id} />
          <input type="hidden" name="category" value={category} />
          <input type="hidden" name="shown" value={shown} />
          <KeyField value={form.key} onChange={form.setKey} />
          <span className="flex gap-2">
            <input
              name={pieces.name}
              defaultValue={pieces.defaultValue}
              id={id}
              aria-label={`Pieces of ${name}`}
              inputMode="numeric"
              enterKeyHint="next"
              autoComplete="off"
              onFocus={() => void readShelf()}
              onChange={(event) => setText(event.target.value)}
              {...describedBy(id, undefined, error)}
              className={`${editableControl} figures max-w-28 text-right @min-[43rem]:py-1`}
            />
            <Button
              type="submit"
              kind="plain"
              busy={form.isBusy}
              className={`${rowButton} whitespace-nowrap`}
            >
              Record<span className="sr-only">{` the count of ${name}`}</span>
            </Button>
          </span>
          <span role="status">{error && <ErrorMessage id={`${id}-error`}>{error}</ErrorMessage>}</span>
        </form>
      </Cell>
      <Cell {...(counted || isRejected ? { label: 'Last count' } : {})}>
        <span role="status" className="block @min-[43rem]:w-36">
          {isRejected && <StatusBadge tone="wrong">not saved</StatusBadge>}
          {counted && !isRejected && (
            <>
              <StatusBadge tone={counted.change === 0 ? 'done' : 'open'}>
                {counted.change === 0 ? 'as expected' : formatChange(counted.change)}
              </StatusBadge>
              <span className="block text-xs text-soft">
                <Moment at={counted.createdAt} />
              </span>
            </>
          )}
        </span>
      </Cell>
    </tr>
  );
}
