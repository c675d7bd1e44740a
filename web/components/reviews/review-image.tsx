import { useState } from 'react';
import { isPlainClick } from '../../client/plain-click.ts';
import { LargeView } from '../catalogue/large-view.tsx';
import { getImageSources } from '../catalogue/product-image.tsx';

/** A review's image, which opens in the large view or, without scripts, as a plain file. */
export function ReviewImage({ img, author }: { img: string; author: string }) {
  const [isEnlarged, setEnlarged] = useState(false);
  return (
    <>
      <a
        href={img}
        aria-label={`Large view of the image by ${author}`}
        aria-haspopup="dialog"
        onClick={(event) => {
          if (!isPlainClick(event)) return;
          event.preventDefault();
          setEnlarged(true);
        }}
        className="lamplit block size-24 border border-rule"
      >
        <img
          {...getImageSources(img)}
          sizes="6rem"
          alt=""
          width={96}
          height={96}
          loading="lazy"
          decoding="async"
          className="size-full object-cover"
        />
      </a>
      {isEnlarged && (
        <LargeView
          images={[{ img, alt: `Sent with the review by ${author}` }]}
          label={`Image by ${author}`}
          start={0}
          onClose={() => setEnlarged(false)}
        />
      )}
    </>
  );
}
