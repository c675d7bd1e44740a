import { type MouseEvent, useRef, useState } from 'react';
import { getThumbnailUrl, ProductImage } from './product-image.tsx';

type Props = {
  images: string[];
  /** The product's name, for the alternative texts. */
  name: string;
  /** The `sizes` attribute of the images. */
  sizes: string;
};

/** A product's images: the first and, if there are more, a row that scrolls through all of them with a link to each. */
export function Gallery({ images, name, sizes }: Props) {
  const row = useRef<HTMLElement>(null);
  const [shown, setShown] = useState(0);
  const [main = '', ...others] = images;
  if (others.length === 0)
    return (
      <div className="border border-rule bg-leaf">
        <ProductImage img={main} alt={name} sizes={sizes} eager />
      </div>
    );

  /** Without scripts, the browser scrolls to the link's target, and moves the page as well. */
  function scrollTo(event: MouseEvent, at: number): void {
    event.preventDefault();
    row.current?.scrollTo({ left: at * row.current.clientWidth });
  }

  return (
    <>
      <section
        ref={row}
        aria-label="Images"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it
        tabIndex={0}
        className="flex snap-x snap-mandatory overflow-x-auto border border-rule bg-leaf motion-safe:scroll-smooth"
        onScroll={({ currentTarget: { scrollLeft, clientWidth } }) =>
          setShown(Math.round(scrollLeft / clientWidth))
        }
      >
        {images.map((img, at) => (
          <div key={img} id={`image-${at + 1}`} className="w-full shrink-0 snap-start">
            <ProductImage
              img={img}
              alt={at === 0 ? name : `${name}, image ${at + 1}`}
              sizes={sizes}
              eager={at === 0}
            />
          </div>
        ))}
      </section>
      <ul className="mt-3 flex flex-wrap gap-2">
        {images.map((img, at) => (
          <li key={img}>
            <a
              href={`#image-${at + 1}`}
              aria-label={`Image ${at + 1} of ${images.length}`}
              aria-current={at === shown}
              onClick={(event) => scrollTo(event, at)}
              className="block border-2 border-rule bg-leaf aria-[current=true]:border-verdigris"
            >
              <img
                src={getThumbnailUrl(img)}
                alt=""
                width={64}
                height={48}
                loading="lazy"
                className="lamplit block h-12 w-16 object-contain"
              />
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
