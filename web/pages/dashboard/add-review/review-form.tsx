import { useState } from 'react';
import { useController, useForm } from 'react-hook-form';
import { z } from 'zod';
import type { Viewer } from '../../../../contract/pages.ts';
import { newReview } from '../../../../contract/reviews.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorSummary } from '../../../components/error-summary.tsx';
import { Field, TextArea } from '../../../components/field.tsx';
import { ImageField } from '../../../components/image-field.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Restored } from '../../../components/restored.tsx';
import { useToast } from '../../../components/toast.tsx';
import { useDraft } from '../../../draft.ts';
import { bySchema } from '../../../form.ts';
import { listErrors, showRefusal } from '../../../form-errors.ts';
import { createKeys } from '../../../idempotency.ts';
import { forgetUpload, uploadImage } from '../../../image-upload.ts';
import { session } from '../../../session.ts';
import { useSettings } from '../../../shop.tsx';
import { RatingField } from './rating-field.tsx';

const schema = newReview.pick({ rating: true, reviews: true }).extend({
  img: z.instanceof(File, { error: 'Image is Required' }),
});

/** Sends the picture and then, where it was taken, the review. Whatever is refused, the form keeps what it holds. */
export function ReviewForm({ viewer, onAdded }: { viewer: Viewer; onAdded: () => void }) {
  const form = useForm({
    resolver: bySchema(schema),
    defaultValues: { reviews: '' },
    shouldFocusError: false,
  });
  const { errors, isSubmitting, submitCount } = form.formState;
  const { field: rating } = useController({ control: form.control, name: 'rating' });
  const { field: img } = useController({ control: form.control, name: 'img' });
  const [sent, setSent] = useState<number>();
  const [keyOf] = useState(createKeys);
  const { imageUploadUrl } = useSettings();
  const toast = useToast();
  const draft = useDraft(viewer.email);

  const send = form.handleSubmit(async (filled) => {
    try {
      setSent(0);
      const url = await uploadImage(imageUploadUrl, filled.img, setSent);
      const { name, email } = viewer;
      const body = { name, email, rating: filled.rating, reviews: filled.reviews, img: url };
      await session().client.call('addReview', { body, idempotencyKey: keyOf(body) });
      toast('Review Added Successfully!');
      onAdded();
    } catch (error) {
      if (await draft.leave(error)) return;
      toast('Failed to add the Review', 'wrong');
      showRefusal(form, error);
      if (form.getFieldState('img').error) forgetUpload(filled.img);
    } finally {
      setSent(undefined);
    }
  });

  return (
    <form ref={draft.ref} method="post" noValidate onSubmit={send}>
      {draft.restored && <Restored picture />}
      <ErrorSummary errors={listErrors(errors, ['rating', 'reviews', 'img'])} tries={submitCount} />
      {errors.root && <Notice wrong>{errors.root.message}</Notice>}
      <div className="grid gap-x-10 lg:grid-cols-[1fr_20rem]">
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
          <RatingField value={rating.value} error={errors.rating?.message} onChange={rating.onChange} />
          <TextArea
            label="Comments"
            hint="What you used it for, and how it held up. 2,000 characters at most; cards show the first 80."
            rows={7}
            maxLength={2000}
            error={errors.reviews?.message}
            {...form.register('reviews')}
          />
        </div>
        <ImageField
          id="img"
          ref={img.ref}
          file={img.value}
          error={errors.img?.message}
          sent={sent}
          onChange={img.onChange}
        />
      </div>
      <Button type="submit" busy={isSubmitting}>
        Add Review
      </Button>
    </form>
  );
}
