import { type ReactNode, type Ref, useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import type { Viewer } from '../../../../contract/pages.ts';
import { forgetUpload, isOwnHost, uploadFile } from '../../../client/image-upload.ts';
import { Button } from '../../../components/button.tsx';
import { useToast } from '../../../components/feedback/toast.tsx';
import { useDraft } from '../../../forms/draft.ts';
import { FormHead } from '../../../forms/form-head.tsx';
import { type RejectedForm, toFormErrors } from '../../../forms/shop-form.ts';
import type { useShopForm } from '../../../forms/use-shop-form.ts';
import { useSettings } from '../../../shop.tsx';
import { ImageField } from './image-field.tsx';

type FormProps<Values extends FieldValues> = {
  form: ReturnType<typeof useShopForm<Values>>;
  /** Set if the form creates something. */
  formKey?: string;
  /** The id of what the form edits, if the page has the form for several. Each has its own draft. */
  edits?: string | undefined;
  viewer: Viewer;
  submitLabel: string;
  /** The toast after an error. */
  failureToast: string;
  save: (values: Values) => Promise<void>;
  /** Shown between the form's errors and its fields. */
  intro?: ReactNode;
  children: ReactNode;
};

type AsideProps<Values extends FieldValues> = FormProps<Values> & {
  /** The image or images, beside the fields. */
  aside: ReactNode;
  /** More buttons. */
  actions?: ReactNode;
};

/** A dashboard form with an image or images. */
export function FormWithImages<Values extends FieldValues>(props: AsideProps<Values>) {
  const { form, formKey, edits, viewer, submitLabel, failureToast, save, intro, aside, actions, children } =
    props;
  const { isSubmitting } = form.formState;
  const { imageUploadUrl } = useSettings();
  const toast = useToast();
  const draft = useDraft(viewer.email, edits);

  const send = form.handleSubmit(async (values) => {
    try {
      await save(values);
    } catch (error) {
      if (await draft.saveAndSignIn(error)) return;
      toast(failureToast, 'wrong');
      form.showError(error);
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
      <FormHead form={form} draft={draft} viewer={viewer} image keepsInput />
      {intro}
      {formKey && <input type="hidden" name="key" value={formKey} />}
      <div className="grid gap-x-10 lg:grid-cols-[1fr_20rem]">
        {/* Fields come before the image: in a plain post, the server does not read past an oversized image. */}
        <div>{children}</div>
        {aside}
      </div>
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={isSubmitting}>
          {submitLabel}
        </Button>
        {actions}
      </div>
    </form>
  );
}

type Props<Values extends FieldValues> = FormProps<Values> & {
  /** The field `img`, from `useController`. */
  img: {
    field: {
      ref: Ref<HTMLInputElement>;
      value: File | string | undefined;
      onChange: (image: File | string | undefined) => void;
    };
  };
  rejected: RejectedForm | undefined;
};

/** A dashboard form with one image, which is uploaded before the form is saved. */
export function ImageForm<Values extends FieldValues & { img: File | string }>({
  img,
  rejected,
  save,
  ...form
}: Props<Values>) {
  const [progress, setProgress] = useState<number>();
  const { imageUploadUrl } = useSettings();
  const { value } = img.field;
  const storedUrl = rejected?.values.img;

  async function uploadAndSave(values: Values): Promise<void> {
    try {
      setProgress(0);
      const url =
        typeof values.img === 'string'
          ? values.img
          : await uploadFile(imageUploadUrl, values.img, setProgress);
      await save({ ...values, img: url });
    } catch (error) {
      if (values.img instanceof File && 'img' in toFormErrors(error, ['img']).errors)
        forgetUpload(values.img);
      throw error;
    } finally {
      setProgress(undefined);
    }
  }

  return (
    <FormWithImages
      {...form}
      save={uploadAndSave}
      aside={
        <ImageField
          id="img"
          ref={img.field.ref}
          file={value instanceof File ? value : undefined}
          storedUrl={typeof value === 'string' ? value : storedUrl}
          error={form.form.messageOf('img')}
          progress={progress}
          onChange={(file) => img.field.onChange(file ?? (storedUrl || undefined))}
        />
      }
    />
  );
}
