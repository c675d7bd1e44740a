import { uploaded } from '../../contract/images.ts';
import { CallFailed } from './client.ts';

/** The shop's own image host takes so many bytes; a larger file is not worth the visitor's wait. */
const largestImage = 10 * 1024 * 1024;

/** Where each file went: a form that is sent again sends its picture once. */
const kept = new WeakMap<File, string>();

/** Whether pictures are posted to the shop itself, not to a hosted service. */
export const isOwnHost = (uploadUrl: string): boolean => uploadUrl.startsWith('/');

/**
 * Puts a picture on the image host and gives its address; `onProgress` hears how much has left, 0 to 1. Throws
 * `CallFailed` with the reason as the error of the field `img`.
 */
export function uploadImage(
  uploadUrl: string,
  file: File,
  onProgress: (part: number) => void,
): Promise<string> {
  const known = kept.get(file);
  if (known) return Promise.resolve(known);
  const own = isOwnHost(uploadUrl);
  if (own && file.size > largestImage)
    return Promise.reject(refusal('This picture is too large: a file may have 10 MB.', 413));
  const form = new FormData();
  form.set('image', file);
  return new Promise((resolve, reject) => {
    // `fetch` does not tell how much has left.
    const request = new XMLHttpRequest();
    request.open('POST', uploadUrl);
    request.onload = () => {
      const answer = readAnswer(request.responseText);
      const url = answer?.success ? answer.data?.url : undefined;
      if (url) kept.set(file, url);
      if (url) resolve(url);
      else reject(refusal(answer?.error?.message ?? 'The picture was not taken. Try again.', request.status));
    };
    request.onerror = () =>
      reject(refusal('The picture did not get through. Check your connection and try again.', 0));
    // Our token goes to our own origin only; and a listener would make a hosted service's request one
    // that asks for leave first, which not every service answers.
    if (own) {
      const token = localStorage.getItem('token');
      if (token) request.setRequestHeader('authorization', `Bearer ${token}`);
      request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0);
    }
    request.send(form);
  });
}

/** The shop no longer has this picture: the next try sends it anew. */
export function forgetUpload(file: File): void {
  kept.delete(file);
}

function readAnswer(text: string) {
  try {
    return uploaded.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const refusal = (message: string, status: number) =>
  new CallFailed({
    type: 'urn:problem:image',
    title: 'The picture was not taken',
    status,
    detail: message,
    requestId: '',
    errors: [{ field: 'img', message }],
  });
