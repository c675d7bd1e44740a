import { useController } from 'react-hook-form';
import { readNumber } from '../../../../contract/fields.ts';
import type { Viewer } from '../../../../contract/pages.ts';
import { Field, TextArea } from '../../../forms/field.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { session } from '../../../client/session.ts';
import type { Refused } from '../../../forms/shop-form.ts';
import { useShopForm } from '../../../forms/use-shop-form.ts';
import { PictureForm } from '../picture-form.tsx';
import { RatingField } from './rating-field.tsx';
import { reviewForm } from './review.ts';

type Props = { viewer: Viewer; formKey: string; refused: Refused | undefined; onAdded: () => void };

/** A review of the shop by who is signed in. */
export function ReviewForm({ viewer, formKey, refused, onAdded }: Props) {
  const definition = reviewForm(viewer, formKey);
  const form = useShopForm(definition, refused);
  const rated = readNumber(refused?.values.rating);
  const { field: rating } = useController({
    control: form.control,
    name: 'rating',
    ...(typeof rated === 'number' ? { defaultValue: rated } : {}),
  });
  const stored = refused?.values.img;
  const img = useController({
    control: form.control,
    name: 'img',
    ...(stored ? { defaultValue: stored } : {}),
  });
  const toast = useToast();

  return (
    <PictureForm
      form={form}
      formKey={formKey}
      img={img}
      refused={refused}
      viewer={viewer}
      act="Add Review"
      failed="Failed to add the Review"
      save={async (filled) => {
        await definition.send(session(), filled);
        toast('Review Added Successfully!');
        onAdded();
      }}
    >
      <div className="grid gap-x-6 sm:grid-cols-2">
        <Field label="Name" name="name" value={viewer.name} readOnly autoComplete="name" />
        <Field label="Email" name="email" type="email" value={viewer.email} readOnly autoComplete="email" />
      </div>
      <RatingField value={rating.value} error={form.messageOf('rating')} onChange={rating.onChange} />
      <TextArea
        label="Comments"
        hint="What you used it for, and how it held up. 2,000 characters at most; cards show the first 80."
        rows={7}
        maxLength={2000}
        {...form.field('reviews')}
      />
    </PictureForm>
  );
}
