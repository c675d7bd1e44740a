import { useController } from 'react-hook-form';
import type { Review } from '../../../../../contract/catalogue/reviews.ts';
import { parseNumber } from '../../../../../contract/fields.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { getSession } from '../../../../client/session.ts';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Field, TextArea } from '../../../../forms/fields/field.tsx';
import { SelectField } from '../../../../forms/fields/select-field.tsx';
import type { RejectedForm } from '../../../../forms/shop-form.ts';
import { useShopForm } from '../../../../forms/use-shop-form.ts';
import { ImageForm } from '../../products/image-form.tsx';
import { RatingField } from './rating-field.tsx';
import { createReviewForm } from './review.ts';

type Props = {
  viewer: Viewer;
  formKey: string;
  rejected: RejectedForm | undefined;
  /** The products to choose from. */
  products: { _id: string; name: string }[];
  /** The preselected product; '' for the shop in general. */
  product: string;
  /** The review to edit. */
  edited: Review | undefined;
  onSaved: () => void;
};

export function ReviewForm({ viewer, formKey, rejected, products, product, edited, onSaved }: Props) {
  const definition = createReviewForm(viewer, formKey, edited?._id);
  const form = useShopForm(definition, rejected);
  const initialRating = parseNumber(rejected?.values.rating) ?? edited?.rating;
  const { field: rating } = useController({
    control: form.control,
    name: 'rating',
    ...(typeof initialRating === 'number' ? { defaultValue: initialRating } : {}),
  });
  const stored = rejected?.values.img ?? edited?.img;
  const img = useController({
    control: form.control,
    name: 'img',
    ...(stored ? { defaultValue: stored } : {}),
  });
  const toast = useToast();
  const { error: _, ...choice } = form.field('product', product);

  return (
    <ImageForm
      form={form}
      formKey={formKey}
      edits={edited?._id}
      img={img}
      rejected={rejected}
      viewer={viewer}
      submitLabel={edited ? 'Save the review' : 'Add Review'}
      failureToast={edited ? 'Failed to save the review' : 'Failed to add the Review'}
      save={async (values) => {
        await definition.send(getSession(), values);
        toast(edited ? 'Review saved.' : 'Review Added Successfully!');
        onSaved();
      }}
    >
      <div className="grid gap-x-6 sm:grid-cols-2">
        <Field label="Name" name="name" value={viewer.name} readOnly autoComplete="name" />
        <Field label="Email" name="email" type="email" value={viewer.email} readOnly autoComplete="email" />
      </div>
      {!edited && products.length > 0 && (
        <div className="mb-6">
          <SelectField
            {...choice}
            id="product"
            label="Which tool?"
            options={{
              '': 'The shop in general',
              ...Object.fromEntries(products.map(({ _id, name }) => [_id, name])),
            }}
          />
        </div>
      )}
      <RatingField value={rating.value} error={form.messageOf('rating')} onChange={rating.onChange} />
      <TextArea
        label="Comments"
        hint="What you used it for, and how it held up. 2,000 characters at most; cards show the first 80."
        rows={7}
        maxLength={2000}
        {...form.field('reviews', edited?.reviews)}
      />
    </ImageForm>
  );
}
