/** How many sequences on each engine; more in `npm run torture`. */
export const runs = Number(process.env.FC_RUNS ?? 12);

/** Stands in the tests' names; given, it repeats the run that had it. */
export const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);

/** The shop's own look comes every two minutes: no shop is to live that long, or it would do what no act did. */
export const runsOfOneShop = 25;
