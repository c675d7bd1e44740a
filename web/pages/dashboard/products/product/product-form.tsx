import { type ReactNode, useState } from 'react';
import {
  fieldGroups,
  type ProductField,
  productFields,
} from '../../../../../contract/catalogue/product-fields.ts';
import { isOwnHost } from '../../../../client/image-upload.ts';
import { Button } from '../../../../components/button.tsx';
import { Icon } from '../../../../components/layout/icon.tsx';
import { Field, TextArea } from '../../../../forms/fields/field.tsx';
import { FormStart, type OpenForm } from '../../../../forms/use-page-form.tsx';
import { useSettings } from '../../../../shop.tsx';

type Props = {
  form: OpenForm;
  /** The product that the form edits; none in a form that adds one. */
  product?: { id: string; texts: Record<ProductField, string> };
  /** The categories of all products, as suggestions. */
  categories: string[];
  submitLabel: string;
  /** Called with the form after each input. */
  onTyped: (form: HTMLFormElement) => void;
  /** Shown between the form's messages and its fields. */
  intro?: ReactNode;
  /** Fields that only one of the two forms has, beside the others of their kind. */
  email?: ReactNode;
  stock?: ReactNode;
  /** Shown below the short fields. */
  warning?: ReactNode;
  /** The image or images, beside the fields. */
  aside: ReactNode;
  /** More buttons. */
  actions?: ReactNode;
};

const { lines, numbers, options, texts } = fieldGroups;

/** Fields for parcels, which a shop may not need. */
const deliveryFields: readonly ProductField[] = ['weight', 'notTo', 'hsCode', 'origin', 'shelf'];
const isForDelivery = (name: ProductField): boolean => deliveryFields.includes(name);

/** The form that adds or edits a product. */
export function ProductForm(props: Props) {
  const { form, product, submitLabel, onTyped, intro, email, stock, warning, aside, actions } = props;
  const { imageUploadUrl } = useSettings();
  const render = (name: ProductField) => (
    <InputField key={name} name={name} form={form} isNew={!product} initial={product?.texts[name]} />
  );
  return (
    <form
      {...form.props}
      encType={isOwnHost(imageUploadUrl) ? 'multipart/form-data' : undefined}
      onInput={(event) => {
        form.props.onInput(event);
        onTyped(event.currentTarget);
      }}
    >
      <FormStart form={form} image keepsInput />
      {intro}
      <input type="hidden" name="product" value={product?.id ?? ''} />
      <div className="grid gap-x-10 lg:grid-cols-[1fr_20rem]">
        {/* Fields come before the image: in a plain post, the server does not read past an oversized image. */}
        <div>
          {lines.map(render)}
          {email}
          <div className={`field-row ${stock ? 'sm:grid-cols-3' : 'sm:grid-cols-2'}`}>
            {numbers.map(render)}
            {stock}
          </div>
          <div className="field-row sm:grid-cols-2 lg:grid-cols-1 xl:grid-cols-2">
            {options.filter((name) => !isForDelivery(name)).map(render)}
            <datalist id="categories">
              {props.categories.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </div>
          {warning}
          {texts.map(render)}
          <DeliveryDetails
            isFilled={deliveryFields.some((name) => (form.rejectedValues ?? product?.texts)?.[name])}
            hasError={deliveryFields.some((name) => form.messageOf(name))}
          >
            {deliveryFields.map(render)}
          </DeliveryDetails>
        </div>
        {aside}
      </div>
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={form.isBusy}>
          {submitLabel}
        </Button>
        {actions}
      </div>
    </form>
  );
}

type DetailsProps = { isFilled: boolean; hasError: boolean; children: ReactNode };

/** Stays open while a field has an error, and after it has been corrected. */
function DeliveryDetails({ isFilled, hasError, children }: DetailsProps) {
  const [isOpen, setIsOpen] = useState(isFilled || hasError);
  return (
    <details
      open={isOpen || hasError}
      onToggle={({ currentTarget }) => {
        if (hasError) currentTarget.open = true;
        setIsOpen(currentTarget.open);
      }}
      className="group mb-6 border-y border-rule"
    >
      <summary className="flex min-h-12 list-none items-center justify-between font-medium [&::-webkit-details-marker]:hidden">
        Delivery and customs
        <Icon name="unfold" className="text-blued group-open:rotate-180" />
      </summary>
      <div className="field-row pt-3 sm:grid-cols-2 lg:grid-cols-1 xl:grid-cols-2">{children}</div>
    </details>
  );
}

type InputProps = { name: ProductField; form: OpenForm; isNew: boolean; initial: string | undefined };

function InputField({ name, form, isNew, initial }: InputProps) {
  const { chargedCurrency } = useSettings();
  const field = productFields[name];
  const help = 'help' in field ? field.help : '';
  const input = {
    label: field.isOptional ? `${field.label} (optional)` : field.label,
    hint: help,
    autoComplete: 'off',
    ...form.field(name, initial),
  };
  if (field.kind === 'text' || field.kind === 'facts')
    return <TextArea rows={7} maxLength={field.max} {...input} />;
  if (field.kind === 'line')
    return <Field maxLength={field.max} list={name === 'category' ? 'categories' : undefined} {...input} />;
  if (field.kind === 'country' || field.kind === 'countries')
    return <Field maxLength={field.max} autoCapitalize="characters" spellCheck={false} {...input} />;
  if (field.kind === 'count') return <Field inputMode="numeric" {...input} />;
  const perPiece = `Per piece, in ${chargedCurrency}.`;
  return (
    <Field
      inputMode="decimal"
      {...input}
      hint={isNew ? perPiece : `${perPiece} Orders keep the price that they were placed with.`}
    />
  );
}
