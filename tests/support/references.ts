/** Replaces the references in a JSON document (`{ $ref: '#/components/…' }`) with what they refer to. */
export function inlineReferences(document: unknown): unknown {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (!isRecord(value)) return value;
    if (typeof value.$ref === 'string') return resolve(findReferenced(document, value.$ref));
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolve(part)]));
  };
  return resolve(document);
}

function findReferenced(document: unknown, reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/');
  return steps.reduce((place: unknown, step) => (isRecord(place) ? place[step] : undefined), document);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
