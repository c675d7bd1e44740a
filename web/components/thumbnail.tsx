import { getImageSources } from './catalogue/product-image.tsx';

type Props = {
  /** Absent once the product is deleted. */
  img: string | undefined;
  /** The product cannot be ordered. */
  isDimmed?: boolean;
};

/**
 * A product's image in a line of an order or of the basket, as wide as the box around it: at most 10 rem, or 6 rem on phones. The
 * product's name is beside it.
 */
export function Thumbnail({ img, isDimmed = false }: Props) {
  if (!img) return <div className="aspect-4/3 border border-rule bg-leaf" />;
  return (
    <img
      {...getImageSources(img)}
      sizes="(width < 40rem) 6rem, 10rem"
      alt=""
      width={240}
      height={180}
      loading="lazy"
      decoding="async"
      className={`lamplit aspect-4/3 h-auto w-full border border-rule bg-leaf object-contain ${isDimmed ? 'opacity-55' : ''}`}
    />
  );
}
