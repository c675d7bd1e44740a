/** The promises that the shop may make to its customers, in the order in which pages show them. */
export const promiseNames = ['delivery', 'returns', 'guarantee'] as const;
export type PromiseName = (typeof promiseNames)[number];

/** A promise that customers see, in the owner's words. */
export type ShownPromise = { name: PromiseName; text: string };
