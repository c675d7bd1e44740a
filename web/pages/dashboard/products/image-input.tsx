import type { ComponentProps } from 'react';
import { isOwnHost } from '../../../client/image-upload.ts';
import { useSettings } from '../../../shop.tsx';

const useOwnHost = (): boolean => isOwnHost(useSettings().imageUploadUrl);

/** The formats and the size that the image host accepts, as a hint. */
export const useImageLimits = (): string =>
  useOwnHost()
    ? 'JPEG, PNG, WebP, AVIF or GIF, 10 MB at most.'
    : 'JPEG, PNG, WebP or GIF, stored by an image hosting service.';

/** A file input for images. Without scripts, its file is posted with the form, unless a hosted service stores images. */
export function ImageInput(props: ComponentProps<'input'>) {
  return (
    <input
      {...props}
      type="file"
      name={useOwnHost() ? 'image' : undefined}
      accept="image/jpeg,image/png,image/webp,image/avif,image/gif"
      className="block w-full cursor-pointer text-sm text-soft file:mr-3 file:min-h-11 file:cursor-pointer file:border-0 file:border-r file:border-rule file:bg-leaf file:px-4 file:font-medium file:text-blued"
    />
  );
}

/** Shown without scripts if a hosted service stores images. */
export function ScriptNotice() {
  if (useOwnHost()) return null;
  return (
    <noscript>
      <p className="mt-1.5 text-sm">Choosing an image needs JavaScript: turn it on in this browser.</p>
    </noscript>
  );
}
