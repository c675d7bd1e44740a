import type { Order } from '../../../../../contract/orders/orders.ts';

type Props = {
  rows: readonly Order[];
  selectedIds: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
};

/** The first column's title with a checkbox for all orders that can be shipped or printed; on cards, the checkbox alone. */
export function SelectAll({ rows, selectedIds, onSelect }: Props) {
  const ids = rows.filter(({ paid }) => paid).map(({ _id }) => _id);
  const isAll = ids.every((id) => selectedIds.has(id));
  const isSome = rows.some(({ _id }) => selectedIds.has(_id));
  return (
    <span className="flex items-center gap-2">
      {ids.length > 0 && (
        <label className="noscript:hidden -my-2.5 -ml-2 flex h-11 min-w-11 cursor-pointer items-center justify-center gap-2 @max-[43rem]:ml-0">
          <input
            type="checkbox"
            ref={(box) => {
              if (box) box.indeterminate = isSome && !isAll;
            }}
            checked={isAll}
            onChange={() => onSelect(isAll ? new Set() : new Set([...selectedIds, ...ids]))}
            aria-label="Select all paid and shipped tools on this page"
            className="size-6"
          />
          <span className="@min-[43rem]:hidden">Select all</span>
        </label>
      )}
      <span className="@max-[43rem]:hidden">Order</span>
    </span>
  );
}
