import { type Ref, useEffect, useState } from 'react';
import { describedBy, Labelled } from '../../../forms/fields/field.tsx';
import { ImageInput, ScriptNotice, useImageLimits } from './image-input.tsx';

type Props = {
  id: string;
  file: File | undefined;
  /** The URL of an image that was stored by an earlier post of the form. */
  storedUrl: string | undefined;
  error: string | undefined;
  /** The uploaded fraction, 0 to 1; undefined unless an upload is in progress. */
  progress: number | undefined;
  onChange: (file: File | undefined) => void;
  ref?: Ref<HTMLInputElement>;
};

/** A file input with a preview and upload progress. */
export function ImageField({ id, file, storedUrl, error, progress, onChange, ref }: Props) {
  const hint = useImageLimits();
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
              className="lamplit size-full object-contain"
            />
          ) : storedUrl && !file ? (
            <img
              src={storedUrl}
              alt="Preview of the file you chose earlier"
              className="lamplit size-full object-contain"
            />
          ) : (
            <EmptyFrame>{broken ? 'This file cannot be shown' : 'No image chosen'}</EmptyFrame>
          )}
        </div>
        <input type="hidden" name="img" value={preview ?? storedUrl ?? ''} />
        <ImageInput
          ref={ref}
          id={id}
          onChange={(event) => onChange(event.currentTarget.files?.[0])}
          {...describedBy(id, hint, error)}
        />
      </div>
      <ScriptNotice />
      {progress !== undefined && <UploadProgress value={progress} />}
    </Labelled>
  );
}

function UploadProgress({ value }: { value: number }) {
  return (
    <div className="mt-3 text-sm text-soft">
      <progress aria-label="Upload progress" value={value} className="block h-2 w-full accent-verdigris" />
      <p className="figures mt-1">
        {value > 0 && value < 1
          ? `${Math.round(value * 100)} % of the image uploaded`
          : 'Uploading the image…'}
      </p>
    </div>
  );
}

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

/** An object URL of the file, revoked when it is no longer shown. */
function usePreview(file: File | undefined) {
  const [preview, setPreview] = useState<string>();
  const [broken, setBroken] = useState(false);
  useEffect(() => {
    setBroken(false);
    if (!file) return setPreview(undefined);
    const url = URL.createObjectURL(file);
    setPreview(url);
    return () => URL.revokeObjectURL(url);
  }, [file]);
  return { preview, broken, onBroken: () => setBroken(true) };
}
