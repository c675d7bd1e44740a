/** Printer profiles have up to 3 MB, screen profiles some KB. A larger one is dropped, and the image is read as sRGB. */
export const maxProfileBytes = 4_000_000;

/** Progressive JPEG encoders write 10 scans, the most elaborate ones about 20. */
export const maxScans = 100;

/** Each scan visits every pixel, however little data it has. This allows 30 scans of 40 megapixels. */
export const maxScannedPixels = 1_200_000_000;

/** Boxes and items of an AVIF file: a photograph has about 20 and 5, and one made of tiles some hundreds. */
export const maxBoxes = 5_000;
export const maxItems = 1_000;

/** Bytes of all items together: items may share bytes, but not without limit. */
export const maxItemBytes = 32_000_000;
