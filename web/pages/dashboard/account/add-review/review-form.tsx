import type { Review } from '../../../../../contract/catalogue/reviews.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { isOwnHost } from '../../../../client/image-upload.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Field, TextArea } from '../../../../forms/fields/field.tsx';
import { SelectField } from '../../../../forms/fields/select-field.tsx';
import type { RejectedForm } from '../../../../forms/form-results.ts';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { useSettings } from '../../../../shop.tsx';
import { ImageField } from '../../products/image-field.tsx';
import { useImageUpload } from '../../products/image-upload.ts';
import { RatingField } from './rating-field.tsx';
import { reviewForm } from './review.ts';

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
  onSaved: () => unknown;
};

export function ReviewForm({ viewer, formKey, rejected, products, product, edited, onSaved }: Props) {
  const toast = useToast();
  const { imageUploadUrl } = useSettings();
  const image = useImageUpload();
  const form = usePageForm(reviewForm, {
    viewer,
    formKey,
    draft: edited?._id ?? '',
    posted: rejected,
    upload: image.upload,
    onRejected({ errors }) {
      toast(edited ? 'Failed to save the review' : 'Failed to add the Review', 'wrong');
      if (errors.img) image.forget();
    },
    onDone() {
      toast(edited ? 'Review saved.' : 'Review Added Successfully!');
      return onSaved();
    },
  });
  const { error: _, ...choice } = form.field('product', product);
  const rating = form.field('rating', edited ? `${edited.rating}` : '');

  return (
    <form {...form.props} encType={isOwnHost(imageUploadUrl) ? 'multipart/form-data' : undefined}>
      <FormStart form={form} image keepsInput />
      <input type="hidden" name="edited" value={edited?._id ?? ''} />
      <div className="grid gap-x-10 lg:grid-cols-[1fr_20rem]">
        {/* Fields come before the image: in a plain post, the server does not read past an oversized image. */}
        <div>
          <div className="grid gap-x-6 sm:grid-cols-2">
            <Field label="Name" name="name" value={viewer.name} readOnly autoComplete="name" />
            <Field
              label="Email"
              name="email"
              type="email"
              value={viewer.email}
              readOnly
              autoComplete="email"
            />
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
          <RatingField initial={rating.defaultValue} error={rating.error} />
          <TextArea
            label="Comments"
            hint="What you used it for, and how it held up. 2,000 characters at most; cards show the first 80."
            rows={7}
            maxLength={2000}
            {...form.field('reviews', edited?.reviews)}
          />
        </div>
        <ImageField
          id="img"
          file={image.file}
          storedUrl={rejected?.values.img ?? edited?.img}
          error={form.messageOf('img')}
          progress={image.progress}
          onChange={(file) => {
            image.choose(file);
            form.clearError('img');
          }}
        />
      </div>
      <Button type="submit" busy={form.isBusy}>
        {edited ? 'Save the review' : 'Add Review'}
      </Button>
    </form>
  );
}
