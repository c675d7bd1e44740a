/** The confirmation that an unknown or late payment is settled. */
export const settledMessage = 'The payment is settled.';
