import type { UseFormRegisterReturn } from 'react-hook-form';
import type { Order } from '../../../../../contract/orders/orders.ts';

type Props = {
  orders: readonly Order[];
  /** An order's id, or '' for all. */
  chosen: string;
  register: UseFormRegisterReturn;
};

/** Which orders are in the parcel: all, or one. */
export function ParcelChoice({ orders, chosen, register }: Props) {
  if (orders.length < 2) return <input type="hidden" {...register} defaultValue="" />;
  const options = [
    { id: '', label: orders.length === 2 ? 'Both tools' : `All ${orders.length} tools` },
    ...orders.map(({ _id, product }) => ({ id: _id, label: `Only ${product}` })),
  ];
  return (
    <fieldset className="mb-6">
      <legend className="mb-1.5 text-sm font-medium">In the parcel</legend>
      {options.map(({ id, label }) => (
        <label key={id} className="flex min-h-11 items-center gap-3 wrap-anywhere">
          <input type="radio" {...register} value={id} defaultChecked={id === chosen} className="size-6" />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
