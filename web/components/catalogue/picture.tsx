/** Our own image host keeps every picture in these widths; the last is the one that an address names. */
const widths = [240, 480, 960];
const own = /^(\/images\/[^/]+)-960\.webp$/;

/** The widths that a picture can be had in: our own in three, any other host's as it is. */
export function pictureSources(img: string): { src: string; srcSet?: string } {
  const stem = own.exec(img)?.[1];
  if (!stem) return { src: img };
  return {
    src: `${stem}-480.webp`,
    srcSet: widths.map((width) => `${stem}-${width}.webp ${width}w`).join(', '),
  };
}

/** The narrowest width. It is wide enough for a picture of 64 CSS pixels on any screen, so that needs no `srcset`. */
export function thumbnail(img: string): string {
  const stem = own.exec(img)?.[1];
  return stem ? `${stem}-${widths[0]}.webp` : img;
}

type Props = {
  img: string;
  alt: string;
  /** How wide it is shown, as in the `sizes` attribute. */
  sizes: string;
  /** It is seen at once, so it is fetched at once. */
  eager?: boolean;
};

/** A product's picture in its 4 : 3 box. */
export function Picture({ img, alt, sizes, eager = false }: Props) {
  return (
    <img
      {...pictureSources(img)}
      sizes={sizes}
      alt={alt}
      width={960}
      height={720}
      loading={eager ? 'eager' : 'lazy'}
      decoding="async"
      className="lamplit block aspect-4/3 h-auto w-full bg-leaf object-contain"
    />
  );
}
