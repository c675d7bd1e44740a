import { type MouseEvent, useRef, useState } from 'react';
import { isPlainClick } from '../../client/plain-click.ts';
import { LargeView } from './large-view.tsx';
import { getThumbnailUrl, ProductImage } from './product-image.tsx';

type Props = {
  images: string[];
  /** The product's name, for the alternative texts. */
  name: string;
  /** The `sizes` attribute of the images. */
  sizes: string;
};

/**
 * A product's images in a scrolling row, with a link to each if there are several. A click opens the large view or, without
 * scripts, the image.
 */
export function Gallery({ images, name, sizes }: Props) {
  const row = useRef<HTMLElement>(null);
  const [shown, setShown] = useState(0);
  const [enlarged, setEnlarged] = useState<number>();
  const described = images.map((img, index) => ({
    img,
    alt: index === 0 ? name : `${name}, image ${index + 1}`,
  }));

  function scrollTo(at: number): void {
    row.current?.scrollTo({ left: at * row.current.clientWidth });
  }

  /** Without scripts, the browser follows the link. */
  function handle(event: MouseEvent, act: () => void): void {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    act();
  }

  const links = described.map(({ img, alt }, index) => (
    <a
      key={img}
      id={`image-${index + 1}`}
      href={img}
      onClick={(event) => handle(event, () => setEnlarged(index))}
      // `relative` keeps the hidden text within the row; otherwise it widens the page.
      className="relative block w-full shrink-0 cursor-zoom-in snap-start focus-visible:-outline-offset-3"
    >
      <ProductImage img={img} alt={alt} sizes={sizes} isMain={index === 0} />
      <span className="sr-only">, enlarge</span>
    </a>
  ));

  return (
    <>
      {images.length === 1 ? (
        <div className="lamplit-plate border border-rule bg-leaf">{links}</div>
      ) : (
        <section
          ref={row}
          aria-label="Images"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it
          tabIndex={0}
          className="lamplit-plate flex snap-x snap-mandatory overflow-x-auto border border-rule bg-leaf motion-safe:scroll-smooth"
          onScroll={({ currentTarget: { scrollLeft, clientWidth } }) =>
            setShown(Math.round(scrollLeft / clientWidth))
          }
        >
          {links}
        </section>
      )}
      {images.length > 1 && (
        <ul className="flex flex-wrap pt-px pl-px">
          {images.map((img, index) => (
            <li key={img} className="-mt-px -ml-px">
              <a
                href={`#image-${index + 1}`}
                aria-label={`Fig. ${index + 1}, image ${index + 1} of ${images.length}`}
                aria-current={index === shown}
                onClick={(event) => handle(event, () => scrollTo(index))}
                className="group block border border-rule bg-leaf p-1 no-underline aria-[current=true]:relative aria-[current=true]:border-brass"
              >
                <img
                  src={getThumbnailUrl(img)}
                  alt=""
                  width={80}
                  height={60}
                  loading="lazy"
                  className="lamplit block h-15 w-20 object-contain"
                />
                <span className="caps block text-center text-soft group-aria-[current=true]:text-brass">
                  {`Fig. ${index + 1}`}
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {enlarged !== undefined && (
        <LargeView
          images={described}
          label={name}
          start={enlarged}
          onClose={(last) => {
            setEnlarged(undefined);
            scrollTo(last);
          }}
        />
      )}
    </>
  );
}
