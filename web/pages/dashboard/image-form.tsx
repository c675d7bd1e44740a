import { type ReactNode, type Ref, useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import type { Viewer } from '../../../contract/pages.ts';
import { forgetUpload, isOwnHost, uploadFile } from '../../client/image-upload.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { RestoredNotice } from '../../components/feedback/restored-notice.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { useDraft } from '../../forms/draft.ts';
import { ErrorSummary } from '../../forms/error-summary.tsx';
import { ImageField } from '../../forms/image-field.tsx';
import { type RejectedForm, toFormErrors } from '../../forms/shop-form.ts';
import type { useShopForm } from '../../forms/use-shop-form.ts';
import { useSettings } from '../../shop.tsx';

type Props<Values extends FieldValues> = {
  form: ReturnType<typeof useShopForm<Values>>;
  /** Of a form that creates something. */
  formKey?: string;
  /** The field `img`, from `useController`. */
  img: {
    field: {
      ref: Ref<HTMLInputElement>;
      value: File | string | undefined;
      onChange: (image: File | string | undefined) => void;
    };
  };
  rejected: RejectedForm | undefined;
  /** The URL of the current image, of which another may take the place. */
  storedImage?: string;
  viewer: Viewer;
  submitLabel: string;
  /** The toast after an error. */
  failureToast: string;
  /** Saves the form; `img` is the URL of the uploaded image. */
  save: (values: Values) => Promise<void>;
  /** Shown between the form's errors and its fields. */
  intro?: ReactNode;
  children: ReactNode;
};

/** A dashboard form with an image, which is uploaded before the form is saved. */
export function ImageForm<Values extends FieldValues & { img: File | string }>(props: Props<Values>) {
  const {
    form,
    formKey,
    img,
    rejected,
    storedImage,
    viewer,
    submitLabel,
    failureToast,
    save,
    intro,
    children,
  } = props;
  const { isSubmitting, submitCount } = form.formState;
  const [progress, setProgress] = useState<number>();
  const { imageUploadUrl } = useSettings();
  const toast = useToast();
  const draft = useDraft(viewer.email);
  const { value } = img.field;
  const storedUrl = rejected?.values.img || storedImage;

  const send = form.handleSubmit(async (values) => {
    try {
      setProgress(0);
      const url =
        typeof values.img === 'string'
          ? values.img
          : await uploadFile(imageUploadUrl, values.img, setProgress);
      await save({ ...values, img: url });
    } catch (error) {
      if (await draft.saveAndSignIn(error)) return;
      toast(failureToast, 'wrong');
      form.showError(error);
      if (values.img instanceof File && 'img' in toFormErrors(error, ['img']).errors)
        forgetUpload(values.img);
    } finally {
      setProgress(undefined);
    }
  });

  return (
    <form
      ref={draft.ref}
      method="post"
      encType={isOwnHost(imageUploadUrl) ? 'multipart/form-data' : undefined}
      noValidate
      onSubmit={send}
    >
      {draft.restored && <RestoredNotice image />}
      <ErrorSummary errors={form.listErrors()} submitCount={submitCount} />
      {form.root && (
        <Notice error noFocus={submitCount === 0}>
          {form.root}
        </Notice>
      )}
      <input type="hidden" name="viewer" value={viewer._id} />
      {intro}
      {formKey && <input type="hidden" name="key" value={formKey} />}
      <div className="grid gap-x-10 lg:grid-cols-[1fr_20rem]">
        {/* Fields come before the image: in a plain post, the server does not read past an oversized image. */}
        <div>{children}</div>
        <ImageField
          id="img"
          ref={img.field.ref}
          file={value instanceof File ? value : undefined}
          storedUrl={typeof value === 'string' ? value : storedUrl}
          storedAlt={storedImage ? 'The stored image' : undefined}
          error={form.messageOf('img')}
          progress={progress}
          onChange={(file) => img.field.onChange(file ?? (storedUrl || undefined))}
        />
      </div>
      <Button type="submit" busy={isSubmitting}>
        {submitLabel}
      </Button>
    </form>
  );
}
