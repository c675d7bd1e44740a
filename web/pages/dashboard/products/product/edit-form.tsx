import { useEffect, useRef, useState } from 'react';
import {
  mapFields,
  productFieldNames,
  productFields,
} from '../../../../../contract/catalogue/product-fields.ts';
import type { ShownProduct } from '../../../../../contract/catalogue/products.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { isEditConflict } from '../../../../client/api/api-errors.ts';
import { getSession } from '../../../../client/session.ts';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { fillField, isField } from '../../../../forms/dom-fields.ts';
import type { RejectedForm } from '../../../../forms/form-results.ts';
import { usePageForm } from '../../../../forms/use-page-form.tsx';
import { Conflict } from './conflict.tsx';
import { formatPriceInput } from './format-price-input.ts';
import { ImagesField } from './images/images-field.tsx';
import { type FormImage, useUploads } from './images/uploads.ts';
import { Preview } from './preview.tsx';
import { PriceConfirmation } from './price-confirmation.tsx';
import { ProductForm } from './product-form.tsx';
import { productForm } from './save.ts';
import {
  compareVersions,
  type Difference,
  listChangedFields,
  parseVersion,
  readImages,
  type Texts,
  toTexts,
  toVersion,
  type Version,
  versionedFields,
} from './versions.ts';

type Props = {
  product: ShownProduct;
  categories: string[];
  viewer: Viewer;
  rejected: RejectedForm | undefined;
  onSaved: () => void;
};

/** A rejected post, merged with the current product if that has changed since its form was rendered. */
function mergeRejected(rejected: RejectedForm | undefined, product: ShownProduct) {
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

/** The values as the form shows them: 12.50 instead of 12.5. */
const toInputs = (version: Version) =>
  mapFields(productFieldNames, (name) =>
    productFields[name].kind === 'money' && version[name]
      ? formatPriceInput(Number(version[name]))
      : version[name],
  );

const readForm = (form: HTMLFormElement) => toTexts(Object.fromEntries(new FormData(form)));

/** Edits a product. If another admin has saved it meanwhile, shows both versions, and loses nothing that was typed. */
export function EditForm({ product, categories, viewer, rejected: posted, onSaved }: Props) {
  const [{ rejected, differences: initialDifferences }] = useState(() => mergeRejected(posted, product));
  const [differences, setDifferences] = useState<Difference[]>(initialDifferences);
  const [stored, setStored] = useState(() => readImages(rejected ? rejected.values : product));
  const [images, setImages] = useState<FormImage[]>(stored);
  const [base, setBase] = useState(rejected?.values.base ?? JSON.stringify(toVersion(product)));
  const [typed, setTyped] = useState(() => toTexts(rejected ? rejected.values : product));
  const [isPriceAsked, setIsPriceAsked] = useState(rejected?.errors.confirmedPrice !== undefined);
  const sentImages = useRef(images);
  const uploads = useUploads();
  const toast = useToast();
  const form = usePageForm(productForm, {
    viewer,
    posted: rejected,
    upload() {
      sentImages.current = images;
      return uploads.finish(images);
    },
    async onRejected({ error, errors, values }) {
      toast('Changes not saved.', 'wrong');
      if (isEditConflict(error)) await merge(toTexts({ ...values, images: await uploads.finish(images) }));
      if (errors.images) uploads.forget(images);
      if (errors.confirmedPrice) setIsPriceAsked(true);
    },
    onDone({ version, texts }) {
      if (texts) continueFrom({ ...texts, version });
      onSaved();
    },
  });
  const { ref } = form.draft;

  /** Makes the saved version the base of further edits. Keeps what was typed while the form was sent. */
  function continueFrom(saved: Version): void {
    const savedImages = readImages(saved);
    setBase(JSON.stringify(saved));
    setStored(savedImages);
    setImages((current) => (current === sentImages.current ? savedImages : current));
    setDifferences([]);
    setIsPriceAsked(false);
  }

  // A change of something that this form does not edit, such as archiving, is not a conflict, so only the version is updated.
  // Fields with the saved value show it in its usual form: a price of 12,5 becomes 12.50.
  useEffect(() => {
    const now = toVersion(product);
    setBase((current) => {
      const opened = parseVersion(current);
      return opened && listChangedFields(opened, now).length === 0 ? JSON.stringify(now) : current;
    });
    const shown = ref.current ? readForm(ref.current) : now;
    const inputs = toInputs(now);
    for (const name of productFieldNames) {
      const input = document.getElementById(name);
      if (shown[name] === now[name] && input && isField(input)) input.value = inputs[name];
    }
  }, [product, ref]);

  function changeImages(changed: FormImage[]): void {
    setImages(changed);
    form.clearError('images');
  }

  function choose(field: keyof Texts, value: string): void {
    const input = document.getElementById(field);
    if (field === 'images') changeImages(readImages({ images: value }));
    else if (input && isField(input)) fillField(input, value);
  }

  /** Shows both versions of the fields that this admin has edited, and updates the others to their current values. */
  async function merge(yours: Texts): Promise<void> {
    const params = { id: product._id };
    // If the product cannot be read, the conflict's error stays, and the next attempt gets the conflict again.
    const current = await getSession()
      .client.call('getProduct', { params })
      .catch(() => undefined);
    if (!current) return;
    const now = toVersion(current);
    const { differences: found, merged } = compareVersions(parseVersion(base) ?? now, yours, now);
    for (const field of versionedFields) if (merged[field] !== yours[field]) choose(field, merged[field]);
    setBase(JSON.stringify(now));
    setDifferences(found);
  }

  const shown = { ...typed, images: images.map(uploads.getSource).join(' ') };
  return (
    <ProductForm
      form={form}
      product={{ id: product._id, texts: toInputs(toVersion(product)) }}
      categories={categories}
      submitLabel="Save changes"
      onTyped={(element) => setTyped(readForm(element))}
      intro={
        <>
          {/* A draft keeps this version with the input. If another admin has changed the product since, the shop reports the conflict. */}
          <input
            type="text"
            hidden
            data-draft="always"
            name="base"
            value={base}
            onChange={(event) => setBase(event.target.value)}
          />
          <Conflict
            differences={differences}
            isChosen={(field, value) => shown[field] === value}
            onChoose={choose}
          />
        </>
      }
      warning={
        isPriceAsked && (
          <PriceConfirmation
            key={typed.price}
            before={parseVersion(base)?.price ?? ''}
            after={typed.price}
            error={form.messageOf('confirmedPrice')}
          />
        )
      }
      aside={
        <ImagesField
          images={images}
          uploads={uploads}
          stored={stored}
          error={form.messageOf('images') ?? form.messageOf('img')}
          onChange={changeImages}
        />
      }
      actions={
        <Preview
          product={product}
          readValues={() => (ref.current ? readForm(ref.current) : typed)}
          readImages={() => images.filter((image) => !uploads.find(image)?.error).map(uploads.getSource)}
        />
      }
    />
  );
}
