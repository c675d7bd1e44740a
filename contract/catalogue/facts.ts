// Without imports, so that a product's page does not load the schemas.

/** A line of a product's facts, such as `Height: 62 mm`. */
export type Fact = { label: string; value: string };

export const maxFacts = 20;
export const maxFactLabel = 40;
export const maxFactValue = 100;

/** Splits a line at its first colon. Both parts are trimmed; the value is empty without a colon. */
export function splitFact(line: string): Fact {
  const [label = '', ...rest] = line.split(':');
  return { label: label.trim(), value: rest.join(':').trim() };
}

/** The facts of a product, in order. */
export const listFacts = (text: string | undefined): Fact[] => (text ? text.split('\n').map(splitFact) : []);
