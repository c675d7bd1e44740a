import { useState } from 'react';
import { forgetUpload, uploadFile } from '../../../client/image-upload.ts';
import { useSettings } from '../../../shop.tsx';

/** The file of an `ImageField`, which is uploaded when the form is sent. */
export function useImageUpload() {
  const { imageUploadUrl } = useSettings();
  const [file, choose] = useState<File>();
  const [progress, setProgress] = useState<number>();

  async function upload(urls: readonly string[]): Promise<string[]> {
    if (!file) return [...urls];
    try {
      setProgress(0);
      return [await uploadFile(imageUploadUrl, file, setProgress)];
    } finally {
      setProgress(undefined);
    }
  }

  /** The shop no longer has the image, so it must be uploaded again. */
  function forget(): void {
    if (file) forgetUpload(file);
  }

  return { file, choose, progress, upload, forget };
}
