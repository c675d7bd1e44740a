// In its own file, so that the list of orders does not load the schemas.

/** The confirmation that an unknown or late payment is settled. */
export const settledMessage = 'The payment is settled.';
