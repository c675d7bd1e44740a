/** The widths in which our own image host serves every image; image URLs name the third. */
const widths = [240, 480, 960, 1600];
const ownImage = /^(\/images\/[^/]+)-960\.webp$/;

/** The `src` and `srcSet` of an image. Images on other hosts have a single width. */
export function getImageSources(img: string): { src: string; srcSet?: string } {
  const stem = ownImage.exec(img)?.[1];
  if (!stem) return { src: img };
  return {
    src: `${stem}-480.webp`,
    srcSet: widths.map((width) => `${stem}-${width}.webp ${width}w`).join(', '),
  };
}

/** The URL of the widest image, for the large view. */
export function getLargestUrl(img: string): string {
  const stem = ownImage.exec(img)?.[1];
  return stem ? `${stem}-${widths.at(-1)}.webp` : img;
}

/** The URL of the narrowest image, which is wide enough for 80 CSS pixels on any screen. */
export function getThumbnailUrl(img: string): string {
  const stem = ownImage.exec(img)?.[1];
  return stem ? `${stem}-${widths[0]}.webp` : img;
}

type Props = {
  img: string;
  alt: string;
  /** The `sizes` attribute. */
  sizes: string;
  /** It is in the page's first screen, so it is loaded before scripts. */
  isMain?: boolean;
};

/** A product's image in a 4 : 3 box. */
export function ProductImage({ img, alt, sizes, isMain = false }: Props) {
  return (
    <img
      {...getImageSources(img)}
      sizes={sizes}
      alt={alt}
      width={960}
      height={720}
      loading={isMain ? 'eager' : 'lazy'}
      fetchPriority={isMain ? 'high' : undefined}
      decoding="async"
      className="lamplit block aspect-4/3 h-auto w-full bg-leaf object-contain"
    />
  );
}
