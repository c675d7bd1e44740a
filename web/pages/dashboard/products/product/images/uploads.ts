import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../../../../client/api/client.ts';
import { getErrorMessage } from '../../../../../client/api/error-message.ts';
import { forgetUpload, uploadFile } from '../../../../../client/image-upload.ts';
import { useSettings } from '../../../../../shop.tsx';

/** A file that was just chosen, or the URL of an uploaded image. */
export type FormImage = File | string;

export type Upload = {
  /** An object URL of the file. */
  preview: string;
  /** The uploaded fraction, 0 to 1; undefined unless the upload is in progress. */
  progress?: number;
  error?: string;
};

export type Uploads = ReturnType<typeof useUploads>;

const notUploaded = 'An image is not uploaded: try again, or remove it.';

/** Uploads files one after the other as soon as they are chosen. Each has its own progress and error. */
export function useUploads() {
  const { imageUploadUrl } = useSettings();
  const [uploads, setUploads] = useState<ReadonlyMap<File, Upload>>(new Map());
  const urls = useRef(new Map<File, Promise<string>>());
  const previews = useRef(new Map<File, string>());
  const last = useRef<Promise<unknown>>(Promise.resolve());

  useEffect(() => {
    const shown = previews.current;
    return () => {
      for (const preview of shown.values()) URL.revokeObjectURL(preview);
    };
  }, []);

  function start(file: File): void {
    const preview = previews.current.get(file) ?? URL.createObjectURL(file);
    previews.current.set(file, preview);
    const report = (state: Omit<Upload, 'preview'>) =>
      setUploads((all) => new Map(all).set(file, { preview, ...state }));
    report({ progress: 0 });
    const upload = () => uploadFile(imageUploadUrl, file, (progress) => report({ progress }));
    const url = last.current.then(upload);
    urls.current.set(file, url);
    last.current = url.then(
      () => report({}),
      (error: unknown) => report({ error: getErrorMessage(error) }),
    );
  }

  /** Waits for the uploads and returns the images' URLs. Throws an error of the field `images` if one has failed. */
  async function finish(images: readonly FormImage[]): Promise<string[]> {
    const results = await Promise.allSettled(
      images.map((image) => (typeof image === 'string' ? image : urls.current.get(image))),
    );
    const finished = results.map((result) => {
      if (result.status === 'fulfilled') return result.value ?? '';
      const { reason } = result;
      if (!(reason instanceof ApiError)) throw reason;
      throw new ApiError({ ...reason.problem, errors: [{ field: 'images', message: notUploaded }] });
    });
    return [...new Set(finished)];
  }

  /** The shop no longer has these images, so they must be uploaded again. */
  function forget(images: readonly FormImage[]): void {
    for (const file of images) {
      if (typeof file === 'string') continue;
      forgetUpload(file);
      const preview = previews.current.get(file) ?? '';
      setUploads((all) => new Map(all).set(file, { preview, error: notUploaded }));
    }
  }

  /** The URL to show the image with. */
  const getSource = (image: FormImage): string =>
    typeof image === 'string' ? image : (uploads.get(image)?.preview ?? '');

  const find = (image: FormImage): Upload | undefined =>
    typeof image === 'string' ? undefined : uploads.get(image);

  return { start, finish, forget, find, getSource };
}
