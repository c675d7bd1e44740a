/** Printer profiles have up to 3 MB, screen profiles a few KB. Without its larger profile, an image is read as sRGB. */
export const maxProfileBytes = 4_000_000;

/** Progressive JPEG encoders write about 10 scans, at most about 20. */
export const maxScans = 100;

/** Each scan visits every pixel, however little data it has. This allows 30 scans of 40 megapixels. */
export const maxScannedPixels = 1_200_000_000;

/** Boxes and items of an AVIF file. A photograph has about 20 and 5, a tiled one a few hundred. */
export const maxBoxes = 5_000;
export const maxItems = 1_000;

/** All items of an AVIF file together. Items may share bytes, so this can exceed the file's size. */
export const maxItemBytes = 32_000_000;
