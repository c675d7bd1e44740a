/** The hairspring of the logo in a 48 × 48 box, used by the header and by the build for the icons. */
export const hairspring =
  'M24 24a3 3 0 0 1 3 3 5 5 0 0 1-6 4 7.5 7.5 0 0 1-5-8 9.5 9.5 0 0 1 11-7 11.5 11.5 0 0 1 8 12';
