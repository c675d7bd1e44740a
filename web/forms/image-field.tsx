import { type Ref, useEffect, useState } from 'react';
import { isOwnHost } from '../client/image-upload.ts';
import { useSettings } from '../shop.tsx';
import { described, Labelled } from './field.tsx';

type Props = {
  id: string;
  file: File | undefined;
  /** The address of a picture that an earlier post of the form has stored. */
  stored: string | undefined;
  error: string | undefined;
  /** How much of it has left, 0 to 1; undefined while nothing is being sent. */
  sent: number | undefined;
  onChange: (file: File | undefined) => void;
  ref?: Ref<HTMLInputElement>;
};

/** Chooses a picture, shows it as the shop will, and how far it is on its way. */
export function ImageField({ id, file, stored, error, sent, onChange, ref }: Props) {
  const own = isOwnHost(useSettings().imageUploadUrl);
  const hint = own
    ? 'JPEG, PNG, WebP, AVIF or GIF, 10 MB at most.'
    : 'A JPEG, PNG, WebP or GIF; it is kept by an image host.';
  const { preview, broken, onBroken } = usePreview(file);
  return (
    <Labelled id={id} label="Image" hint={hint} error={error}>
      <div className={`bg-leaf ${error ? 'border-2 border-ruby' : 'border border-edge'}`}>
        <div className="flex aspect-4/3 items-center justify-center border-b border-rule text-sm text-soft">
          {preview && file && !broken ? (
            <img
              src={preview}
              alt={`Preview of ${file.name}`}
              onError={onBroken}
              className="size-full object-contain"
            />
          ) : stored && !file ? (
            <img
              src={stored}
              alt="Preview of the file you chose before"
              className="size-full object-contain"
            />
          ) : (
            <EmptyFrame>{broken ? 'This file shows no picture' : 'No picture chosen'}</EmptyFrame>
          )}
        </div>
        <input type="hidden" name="img" value={stored ?? ''} />
        <input
          ref={ref}
          id={id}
          type="file"
          name={own ? 'image' : undefined}
          accept="image/jpeg,image/png,image/webp,image/avif,image/gif"
          onChange={(event) => onChange(event.currentTarget.files?.[0])}
          {...described(id, hint, error)}
          className="block w-full cursor-pointer text-sm text-soft file:mr-3 file:min-h-11 file:cursor-pointer file:border-0 file:border-r file:border-rule file:bg-leaf file:px-4 file:font-medium file:text-blued"
        />
      </div>
      {!own && (
        <noscript>
          <p className="mt-1.5 text-sm">Choosing a picture needs JavaScript: turn it on in this browser.</p>
        </noscript>
      )}
      {sent !== undefined && <Sending part={sent} />}
    </Labelled>
  );
}

function Sending({ part }: { part: number }) {
  return (
    <div className="mt-3 text-sm text-soft">
      <progress
        aria-label="The picture on its way"
        value={part}
        className="block h-2 w-full accent-verdigris"
      />
      <p className="figures mt-1">
        {part > 0 && part < 1
          ? `${Math.round(part * 100)} % of the picture sent`
          : 'The picture is on its way'}
      </p>
    </div>
  );
}

/** A plate with nothing on it yet. */
function EmptyFrame({ children }: { children: string }) {
  return (
    <span className="flex flex-col items-center gap-2">
      <svg viewBox="0 0 64 48" className="w-16" fill="none" stroke="currentColor" aria-hidden="true">
        <path d="M2 2h60v44H2zM8 8h48v32H8z" strokeWidth="1.5" />
        <path d="M14 34h36M20 34v-8h10v8m4 0V18l6-4 6 4v16" strokeWidth="1.5" className="stroke-brass" />
      </svg>
      {children}
    </span>
  );
}

/** An address of the file in this browser, for as long as it is shown. */
function usePreview(file: File | undefined) {
  const [preview, setPreview] = useState<string>();
  const [broken, setBroken] = useState(false);
  useEffect(() => {
    setBroken(false);
    if (!file) return setPreview(undefined);
    const made = URL.createObjectURL(file);
    setPreview(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return { preview, broken, onBroken: () => setBroken(true) };
}
