/** Why something did not work, in a sentence for whoever did it. */
export const sayWhy = (error: unknown): string =>
  error instanceof Error ? error.message : 'That did not work.';
