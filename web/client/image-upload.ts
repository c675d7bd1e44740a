import { fileTooLarge, maxImageBytes, uploaded } from '../../contract/catalogue/images.ts';
import { ApiError } from './api/client.ts';

/** URLs of uploaded files, so that resending a form does not upload its image again. */
const uploadedUrls = new WeakMap<File, string>();

/** Whether images are uploaded to the shop itself instead of a hosted service. */
export const isOwnHost = (uploadUrl: string): boolean => uploadUrl.startsWith('/');

/**
 * Uploads an image and returns its URL. `onProgress` receives the uploaded fraction, 0 to 1. Throws `ApiError` with
 * the reason as the error of the field `img`.
 */
export function uploadFile(
  uploadUrl: string,
  file: File,
  onProgress: (part: number) => void,
): Promise<string> {
  const uploadedUrl = uploadedUrls.get(file);
  if (uploadedUrl) return Promise.resolve(uploadedUrl);
  const isOwn = isOwnHost(uploadUrl);
  // The shop's limit, checked here to save the user a futile upload.
  if (isOwn && file.size > maxImageBytes) return Promise.reject(createImageError(fileTooLarge, 413));
  const form = new FormData();
  form.set('image', file);
  return new Promise((resolve, reject) => {
    // `fetch` does not report upload progress.
    const request = new XMLHttpRequest();
    request.open('POST', uploadUrl);
    request.onload = () => {
      const response = parseResponse(request.responseText);
      const url = response?.success ? response.data?.url : undefined;
      if (url) uploadedUrls.set(file, url);
      if (url) resolve(url);
      else
        reject(
          createImageError(
            response?.error?.message ?? 'The image could not be uploaded. Try again.',
            request.status,
          ),
        );
    };
    request.onerror = () =>
      reject(createImageError('The upload was interrupted. Check your connection and try again.', 0));
    // Our token must not leave our own origin. A progress listener would trigger a CORS preflight, which not every
    // hosted service supports.
    if (isOwn) {
      const token = localStorage.getItem('token');
      if (token) request.setRequestHeader('authorization', `Bearer ${token}`);
      request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0);
    }
    request.send(form);
  });
}

/** Forgets an upload that the shop no longer has, so that the next attempt uploads the file again. */
export function forgetUpload(file: File): void {
  uploadedUrls.delete(file);
}

function parseResponse(text: string) {
  try {
    return uploaded.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const createImageError = (message: string, status: number) =>
  new ApiError({
    type: 'urn:problem:image',
    title: 'The image was rejected',
    status,
    detail: message,
    requestId: '',
    errors: [{ field: 'img', message }],
  });
