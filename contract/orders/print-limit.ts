// In its own file, so that the list of orders does not load the schemas.

/** The most purchases that can be printed at once. */
export const maxPrinted = 50;
