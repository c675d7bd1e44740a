import { type ReactNode, type Ref, useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import type { Viewer } from '../../../contract/pages.ts';
import { Button } from '../../components/button.tsx';
import { ErrorSummary } from '../../forms/error-summary.tsx';
import { ImageField } from '../../forms/image-field.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { Restored } from '../../components/feedback/restored.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { useDraft } from '../../forms/draft.ts';
import { forgetUpload, isOwnHost, uploadImage } from '../../client/image-upload.ts';
import { useSettings } from '../../shop.tsx';
import { type Refused, sortRefusal } from '../../forms/shop-form.ts';
import type { useShopForm } from '../../forms/use-shop-form.ts';

type Props<Values extends FieldValues> = {
  form: ReturnType<typeof useShopForm<Values>>;
  formKey: string;
  /** Its field `img`, as `useController` gives it. */
  img: {
    field: {
      ref: Ref<HTMLInputElement>;
      value: File | string | undefined;
      onChange: (picture: File | string | undefined) => void;
    };
  };
  refused: Refused | undefined;
  viewer: Viewer;
  /** The name of its button. */
  act: string;
  /** The toast where something is refused. */
  failed: string;
  /** Saves the form; its picture is already stored at the address `img`. */
  save: (filled: Values) => Promise<void>;
  children: ReactNode;
};

/** Sends the picture and then, where it was taken, all else. Whatever is refused, the form keeps what it holds. */
export function PictureForm<Values extends FieldValues & { img: File | string }>(props: Props<Values>) {
  const { form, formKey, img, refused, viewer, act, failed, save, children } = props;
  const { isSubmitting, submitCount } = form.formState;
  const [sent, setSent] = useState<number>();
  const { imageUploadUrl } = useSettings();
  const toast = useToast();
  const draft = useDraft(viewer.email);
  const { value } = img.field;

  const send = form.handleSubmit(async (filled) => {
    try {
      setSent(0);
      const address =
        typeof filled.img === 'string' ? filled.img : await uploadImage(imageUploadUrl, filled.img, setSent);
      await save({ ...filled, img: address });
    } catch (error) {
      if (await draft.leave(error)) return;
      toast(failed, 'wrong');
      form.showRefusal(error);
      if (filled.img instanceof File && 'img' in sortRefusal(error, ['img']).errors) forgetUpload(filled.img);
    } finally {
      setSent(undefined);
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
      {draft.restored && <Restored picture />}
      <ErrorSummary errors={form.listErrors()} tries={submitCount} />
      {form.root && (
        <Notice wrong still={submitCount === 0}>
          {form.root}
        </Notice>
      )}
      <input type="hidden" name="viewer" value={viewer._id} />
      <input type="hidden" name="key" value={formKey} />
      <div className="grid gap-x-10 lg:grid-cols-[1fr_20rem]">
        {/* Posted before the picture: what follows a picture that is too large is not read. */}
        <div>{children}</div>
        <ImageField
          id="img"
          ref={img.field.ref}
          file={value instanceof File ? value : undefined}
          stored={refused?.values.img}
          error={form.messageOf('img')}
          sent={sent}
          onChange={(file) => img.field.onChange(file ?? (refused?.values.img || undefined))}
        />
      </div>
      <Button type="submit" busy={isSubmitting}>
        {act}
      </Button>
    </form>
  );
}
