import { type ReactNode, type Ref, useState } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { Button } from '../../components/button.tsx';
import { ErrorSummary } from '../../components/error-summary.tsx';
import { ImageField } from '../../components/image-field.tsx';
import { Notice } from '../../components/notice.tsx';
import { Restored } from '../../components/restored.tsx';
import { useToast } from '../../components/toast.tsx';
import { useDraft } from '../../draft.ts';
import { refusalOf } from '../../form.ts';
import { listErrors, showRefusal } from '../../form-errors.ts';
import { forgetUpload, uploadImage } from '../../image-upload.ts';
import { useSettings } from '../../shop.tsx';

type Props<Values extends FieldValues> = {
  form: UseFormReturn<Values>;
  /** Its field `img`, as `useController` gives it. */
  img: {
    field: {
      ref: Ref<HTMLInputElement>;
      value: File | undefined;
      onChange: (file: File | undefined) => void;
    };
    fieldState: { error?: { message?: string | undefined } | undefined };
  };
  /** The names of its fields, in their order. */
  fields: string[];
  /** Who fills it in, by e-mail. */
  by: string;
  /** The name of its button. */
  act: string;
  /** The toast where something is refused. */
  failed: string;
  /** Saves what was filled in, its picture at the address `img`. */
  save: (filled: Values, img: string) => Promise<void>;
  children: ReactNode;
};

/** Sends the picture and then, where it was taken, all else. Whatever is refused, the form keeps what it holds. */
export function PictureForm<Values extends FieldValues & { img: File }>(props: Props<Values>) {
  const { form, img, fields, by, act, failed, save, children } = props;
  const { errors, isSubmitting, submitCount } = form.formState;
  const [sent, setSent] = useState<number>();
  const { imageUploadUrl } = useSettings();
  const toast = useToast();
  const draft = useDraft(by);

  const send = form.handleSubmit(async (filled) => {
    try {
      setSent(0);
      await save(filled, await uploadImage(imageUploadUrl, filled.img, setSent));
    } catch (error) {
      if (await draft.leave(error)) return;
      toast(failed, 'wrong');
      showRefusal(form, error);
      if (refusalOf(error).fields.some(({ field }) => field === 'img')) forgetUpload(filled.img);
    } finally {
      setSent(undefined);
    }
  });

  return (
    <form ref={draft.ref} method="post" noValidate onSubmit={send}>
      {draft.restored && <Restored picture />}
      <ErrorSummary errors={listErrors(errors, fields)} tries={submitCount} />
      {errors.root && <Notice wrong>{errors.root.message}</Notice>}
      <div className="grid gap-x-10 lg:grid-cols-[1fr_20rem]">
        <div>{children}</div>
        <ImageField
          id="img"
          ref={img.field.ref}
          file={img.field.value}
          error={img.fieldState.error?.message}
          sent={sent}
          onChange={img.field.onChange}
        />
      </div>
      <Button type="submit" busy={isSubmitting}>
        {act}
      </Button>
    </form>
  );
}
