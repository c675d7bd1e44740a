import { useEffect, useRef, useState } from 'react';
import { maxImages } from '../../../../../../contract/catalogue/product-edit.ts';
import { useHydrated } from '../../../../../client/hydration.ts';
import { describedBy, Labelled } from '../../../../../forms/fields/field.tsx';
import { ImageInput, ScriptNotice, useImageLimits } from '../../image-input.tsx';
import { type Action, ImageItem } from './image-item.tsx';
import type { FormImage, Uploads } from './uploads.ts';

type Props = {
  images: readonly FormImage[];
  uploads: Uploads;
  /** The images that a plain post keeps. The file in the post replaces the first of them. */
  stored: readonly string[];
  error: string | undefined;
  onChange: (images: FormImage[]) => void;
};

/**
 * A product's images: choose, drop or paste several, move them by dragging or with buttons. Without scripts, a chosen file
 * replaces the first one.
 */
export function ImagesField({ images, uploads, stored, error, onChange }: Props) {
  const hydrated = useHydrated();
  const limits = useImageLimits();
  const [message, setMessage] = useState('');
  const [rejected, setRejected] = useState('');
  const [dragged, setDragged] = useState<number>();
  const [isOver, setIsOver] = useState(false);
  /** The id of the button that gets the focus once the list is shown in its new order. */
  const focusId = useRef('');
  useEffect(() => {
    if (!focusId.current) return;
    document.getElementById(focusId.current)?.focus();
    focusId.current = '';
  });

  const idOf = (image: FormImage) => `img ${uploads.getSource(image)}`;

  function add(files: readonly File[]): void {
    const usable = files.filter(({ type }) => type.startsWith('image/'));
    const added = usable.slice(0, maxImages - images.length);
    const skipped = usable.length - added.length;
    const [other] = files.filter((file) => !usable.includes(file));
    setRejected(
      [
        other ? `${other.name} is not an image.` : '',
        skipped > 0 ? `A product has at most ${maxImages} images: ${skipped} not added.` : '',
      ]
        .join(' ')
        .trim(),
    );
    if (added.length === 0) return;
    for (const file of added) uploads.start(file);
    onChange([...images, ...added]);
    setMessage(`${added.length} added, ${images.length + added.length} in all.`);
  }

  function move(from: number, to: number): void {
    const image = images[from];
    if (image === undefined || to < 0 || to >= images.length || to === from) return;
    onChange(images.toSpliced(from, 1).toSpliced(to, 0, image));
    setMessage(`Moved to position ${to + 1} of ${images.length}${to === 0 ? ': it is the main image' : ''}.`);
  }

  function act(action: Action, at: number): void {
    const image = images[at];
    if (image === undefined) return;
    if (action === 'retry' && image instanceof File) uploads.start(image);
    if (action === 'remove') {
      const left = images.toSpliced(at, 1);
      const next = left[Math.min(at, left.length - 1)];
      focusId.current = next === undefined ? 'img' : `${idOf(next)} remove`;
      setMessage(`Image ${at + 1} removed; ${left.length} left.`);
      setRejected('');
      onChange(left);
    }
    if (action === 'earlier' || action === 'later' || action === 'main') {
      // The main image has no button that makes it the main image, so focus the button that moves it.
      focusId.current = `${idOf(image)} ${action === 'main' ? 'later' : action}`;
      move(at, action === 'main' ? 0 : at + (action === 'later' ? 1 : -1));
    }
  }

  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      // Office programs copy text together with a picture of it: that is not an image to add.
      if (files.length === 0 || event.clipboardData?.types.includes('text/plain')) return;
      event.preventDefault();
      add(files);
    };
    // If a file is dropped beside the field, the browser would open it in place of the page, and the input would be lost.
    const allowDrop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => !relatedTarget && setIsOver(false);
    const drop = (event: DragEvent) => {
      setIsOver(false);
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      add([...event.dataTransfer.files]);
    };
    const listening = new AbortController();
    const { signal } = listening;
    document.addEventListener('paste', paste, { signal });
    document.addEventListener('dragover', allowDrop, { signal });
    document.addEventListener('dragleave', leave, { signal });
    document.addEventListener('drop', drop, { signal });
    return () => listening.abort();
  });

  const hint = hydrated
    ? `Up to ${maxImages}: choose files, drop them on this page, or paste them. ${limits}`
    : `${stored.length > 1 ? 'It replaces the first image. ' : ''}${limits}`;
  const shownError = error ?? (rejected || undefined);
  return (
    <Labelled id="img" label={hydrated ? 'Add images' : 'Image'} hint={hint} error={shownError}>
      <div
        id="images"
        tabIndex={-1}
        className={`bg-leaf ${shownError ? 'border-2 border-ruby' : isOver ? 'border-2 border-verdigris' : 'border border-edge'}`}
      >
        <ol aria-label="Images of the product">
          {images.map((image, index) => (
            <li
              key={idOf(image)}
              draggable={images.length > 1}
              className={`border-b border-rule p-3 ${dragged === index ? 'opacity-55' : ''}`}
              onDragStart={() => setDragged(index)}
              onDragEnd={() => setDragged(undefined)}
              onDragOver={(event) => dragged !== undefined && event.preventDefault()}
              onDrop={(event) => {
                if (dragged === undefined) return;
                event.preventDefault();
                move(dragged, index);
                setDragged(undefined);
              }}
            >
              <ImageItem
                id={idOf(image)}
                source={uploads.getSource(image)}
                upload={uploads.find(image)}
                position={index}
                count={images.length}
                onAction={(action) => act(action, index)}
              />
            </li>
          ))}
        </ol>
        {/* Only a plain post needs the stored image here. With scripts, the field `images` has all images in their order. */}
        <input type="hidden" name="img" value={hydrated ? '' : (stored[0] ?? '')} />
        <input
          type="hidden"
          name="images"
          value={(hydrated ? images.map(uploads.getSource) : stored).join(' ')}
        />
        <ImageInput
          id="img"
          multiple={hydrated}
          onChange={({ currentTarget: input }) => {
            add([...(input.files ?? [])]);
            input.value = '';
          }}
          {...describedBy('img', hint, shownError)}
        />
        <label className="block border-t border-rule px-4 py-2.5 text-sm font-medium text-blued focus-within:outline-2 noscript:hidden pointer-fine:hidden">
          Take a photo
          <input
            type="file"
            accept="image/*"
            capture="environment"
            onChange={({ currentTarget: input }) => {
              add([...(input.files ?? [])]);
              input.value = '';
            }}
            className="sr-only"
          />
        </label>
      </div>
      <p role="status" className="sr-only">
        {message}
      </p>
      <ScriptNotice />
    </Labelled>
  );
}
