import { useEffect, useState } from 'react';
import { useController } from 'react-hook-form';
import type { Product } from '../../../../../contract/catalogue/products.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { isEditConflict } from '../../../../client/api/api-errors.ts';
import { getSession } from '../../../../client/session.ts';
import { fillField, isField } from '../../../../forms/dom-fields.ts';
import { Field, TextArea } from '../../../../forms/fields/field.tsx';
import { type RejectedForm, toFormErrors } from '../../../../forms/shop-form.ts';
import { useShopForm } from '../../../../forms/use-shop-form.ts';
import { useSettings } from '../../../../shop.tsx';
import { FormWithImages } from '../image-form.tsx';
import { CatalogueFields } from './catalogue-fields.tsx';
import { Conflict } from './conflict.tsx';
import { createEditForm } from './edit.ts';
import { formatPriceInput } from './format-price-input.ts';
import { ImagesField } from './images/images-field.tsx';
import { useUploads } from './images/uploads.ts';
import { Preview } from './preview.tsx';
import {
  compareVersions,
  type Difference,
  fieldNames,
  listChangedFields,
  parseVersion,
  readImages,
  type Texts,
  toTexts,
  toVersion,
} from './versions.ts';

type Props = {
  product: Product;
  /** Those of all products, as suggestions. */
  categories: string[];
  viewer: Viewer;
  rejected: RejectedForm | undefined;
  onSaved: (version: number) => Promise<void>;
  /** Another admin has changed the product. */
  onConflict: () => Promise<void>;
};

/** A rejected post, merged with the current product if that has changed since its form was rendered. */
function mergeRejected(rejected: RejectedForm | undefined, product: Product) {
  const base = rejected && parseVersion(rejected.values.base ?? '');
  const now = toVersion(product);
  if (!rejected || !base || base.version === now.version) return { rejected, differences: [] };
  const typed = toTexts(rejected.values);
  const { differences, merged } = compareVersions(base, typed, now);
  // An uploaded image is in `img` only, until it is merged into `images`.
  const images = { img: '', images: merged.images };
  const values = { ...rejected.values, ...pickChanged(typed, merged), ...images, base: JSON.stringify(now) };
  return { rejected: { ...rejected, values }, differences };
}

const pickChanged = (before: Texts, after: Texts): Partial<Texts> =>
  Object.fromEntries(listChangedFields(before, after).map((field) => [field, after[field]]));

export function EditForm({ product, categories, viewer, rejected: posted, onSaved, onConflict }: Props) {
  const [{ rejected, differences: initialDifferences }] = useState(() => mergeRejected(posted, product));
  const [differences, setDifferences] = useState<Difference[]>(initialDifferences);
  const definition = createEditForm(product._id);
  const form = useShopForm(definition, rejected);
  const [stored] = useState(() => readImages(rejected ? rejected.values : product));
  const { field } = useController({ control: form.control, name: 'images', defaultValue: stored });
  const uploads = useUploads();
  const { chargedCurrency } = useSettings();
  const opened = toVersion(product);
  const values = toTexts(form.watch());
  const { getValues, setValue } = form;

  // An edit that concerns no field of this form, such as archiving, is not a conflict.
  useEffect(() => {
    const base = parseVersion(getValues('base'));
    const now = toVersion(product);
    if (base && listChangedFields(base, now).length === 0) setValue('base', JSON.stringify(now));
  }, [product, getValues, setValue]);

  function choose(field: keyof Texts, value: string): void {
    const input = document.getElementById(field);
    if (field === 'images') form.setValue('images', readImages({ images: value }));
    else if (input && isField(input)) fillField(input, value);
  }

  /** Shows both versions, and updates the fields that were not edited here to their current values. */
  async function merge(yours: Texts): Promise<void> {
    const current = await getSession().client.call('getProduct', { params: { id: product._id } });
    const now = toVersion(current);
    const base = parseVersion(getValues('base')) ?? now;
    const { differences: found, merged } = compareVersions(base, yours, now);
    for (const field of fieldNames) if (merged[field] !== yours[field]) choose(field, merged[field]);
    setValue('base', JSON.stringify(now));
    setDifferences(found);
    await onConflict();
  }

  return (
    <FormWithImages
      form={form}
      viewer={viewer}
      submitLabel="Save changes"
      intro={
        <Conflict
          differences={differences}
          isChosen={(field, value) => values[field] === value}
          onChoose={choose}
        />
      }
      failureToast="Changes not saved."
      save={async (input) => {
        const edited = { ...input, images: await uploads.finish(input.images) };
        const saved = await definition.send(getSession(), edited).catch(async (error: unknown) => {
          if (isEditConflict(error)) await merge(toTexts(edited));
          if ('images' in toFormErrors(error, ['images']).errors) uploads.forget(input.images);
          throw error;
        });
        await onSaved(saved.version);
      }}
      aside={
        <ImagesField
          images={field.value}
          uploads={uploads}
          stored={stored.filter((image) => typeof image === 'string')}
          error={form.messageOf('images') ?? form.messageOf('img')}
          onChange={field.onChange}
        />
      }
      actions={
        <Preview
          product={product}
          readValues={getValues}
          readImages={() =>
            getValues('images')
              .filter((image) => !uploads.find(image)?.error)
              .map(uploads.getSource)
          }
        />
      }
    >
      {/* Kept with the input: if another admin has changed the product since, the conflict is shown. */}
      <input
        type="text"
        hidden
        data-draft="always"
        {...form.register('base')}
        defaultValue={rejected?.values.base ?? JSON.stringify(opened)}
      />
      <Field label="Name" maxLength={100} autoComplete="off" {...form.field('name', opened.name)} />
      <div className="field-row sm:grid-cols-2">
        <Field
          label="Price"
          hint={`Per piece, in ${chargedCurrency}. Orders keep the price that they were placed with.`}
          inputMode="decimal"
          autoComplete="off"
          {...form.field('price', formatPriceInput(product.price))}
        />
        <Field
          label="Order quantity"
          hint="Minimum per order."
          inputMode="numeric"
          autoComplete="off"
          {...form.field('o_quantity', opened.o_quantity)}
        />
      </div>
      <CatalogueFields
        categories={categories}
        category={form.field('category', opened.category)}
        lowStock={form.field('lowStock', opened.lowStock)}
      />
      <TextArea
        label="Description"
        hint="Cards show its first 100 characters. 2,000 at most."
        rows={7}
        maxLength={2000}
        {...form.field('description', opened.description)}
      />
    </FormWithImages>
  );
}
