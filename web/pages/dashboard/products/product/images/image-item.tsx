import { type ReactNode, useState } from 'react';
import { Button } from '../../../../../components/button.tsx';
import { getThumbnailUrl } from '../../../../../components/catalogue/product-image.tsx';
import { Icon } from '../../../../../components/layout/icon.tsx';
import { ErrorMessage } from '../../../../../forms/fields/error-message.tsx';
import type { Upload } from './uploads.ts';

export type Action = 'earlier' | 'later' | 'main' | 'remove' | 'retry';

type Props = {
  /** Prefix of the ids of its buttons. */
  id: string;
  source: string;
  upload: Upload | undefined;
  /** The place in the list, from 0. */
  position: number;
  count: number;
  onAction: (action: Action) => void;
};

/** One of a product's images in the form, with buttons that move or remove it. */
export function ImageItem({ id, source, upload, position, count, onAction }: Props) {
  const [broken, setBroken] = useState(false);
  const name = `image ${position + 1}`;
  const isMain = position === 0;
  const alt = `Image ${position + 1} of ${count}${isMain ? ', the main image' : ''}`;
  const act = (action: Action) => ({
    id: `${id} ${action}`,
    kind: 'plain' as const,
    onClick: () => onAction(action),
  });
  return (
    <>
      <div className="flex items-center gap-3">
        <span className="flex h-15 w-20 shrink-0 items-center justify-center border border-rule bg-paper text-xs text-soft">
          {broken ? (
            'No preview'
          ) : (
            <img
              src={getThumbnailUrl(source)}
              alt={alt}
              draggable={false}
              onError={() => setBroken(true)}
              className="lamplit size-full object-contain"
            />
          )}
        </span>
        <span className="min-w-0 text-sm">
          <span className="block font-medium">{isMain ? 'Main image' : `Image ${position + 1}`}</span>
          {upload?.progress !== undefined && <Progress value={upload.progress} name={name} />}
        </span>
      </div>
      {upload?.error && <ErrorMessage id={`${id} error`}>{upload.error}</ErrorMessage>}
      <div className="mt-2 flex flex-wrap gap-1 noscript:hidden">
        {count > 1 && (
          <>
            <Button {...act('earlier')} aria-disabled={isMain} className="min-w-11 px-2!">
              <Icon name="unfold" className="rotate-180" />
              <Hidden>{`Move ${name} earlier`}</Hidden>
            </Button>
            <Button {...act('later')} aria-disabled={position === count - 1} className="min-w-11 px-2!">
              <Icon name="unfold" />
              <Hidden>{`Move ${name} later`}</Hidden>
            </Button>
          </>
        )}
        {!isMain && (
          <Button {...act('main')} className="min-w-11 px-2!">
            Make main<Hidden>{` (${name})`}</Hidden>
          </Button>
        )}
        <Button {...act('remove')} className="min-w-11 px-2!">
          Remove<Hidden>{` ${name}`}</Hidden>
        </Button>
        {upload?.error && (
          <Button {...act('retry')} className="min-w-11 px-2!">
            Try again<Hidden>{` (${name})`}</Hidden>
          </Button>
        )}
      </div>
    </>
  );
}

const Hidden = ({ children }: { children: ReactNode }) => <span className="sr-only">{children}</span>;

function Progress({ value, name }: { value: number; name: string }) {
  return (
    <span className="figures block text-soft">
      <progress
        aria-label={`Upload of ${name}`}
        value={value}
        className="block h-2 w-full accent-verdigris"
      />
      {value > 0 && value < 1 ? `${Math.round(value * 100)} % uploaded` : 'Uploading…'}
    </span>
  );
}
