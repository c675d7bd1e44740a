/** Profiles of printers have up to 3 MB, those of screens some KB. A larger one is dropped: its image is taken for sRGB. */
export const maxProfileBytes = 4_000_000;

/** Encoders of progressive JPEG make 10 scans, the most elaborate ones about 20. */
export const maxScans = 100;

/** Each scan visits every pixel, however little is in it: 30 scans of 40 megapixels. */
export const maxScannedPixels = 1_200_000_000;

/** Boxes and items of an AVIF file: a photograph has about 20 and 5, and one made of tiles some hundreds. */
export const maxBoxes = 5_000;
export const maxItems = 1_000;

/** All items together: several may share the same bytes, but not without end. */
export const maxItemBytes = 32_000_000;
