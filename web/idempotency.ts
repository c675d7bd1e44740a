/**
 * Gives each filled form its key: sending the same again carries the same key, so that a lost answer never makes a
 * second order; whatever is changed makes another form of it.
 */
export function createKeys(): (body: unknown) => string {
  let last = { body: '', key: '' };
  return (body) => {
    const text = JSON.stringify(body);
    if (text !== last.body) last = { body: text, key: randomKey() };
    return last.key;
  };
}

// `crypto.randomUUID` is there over https and on localhost only.
const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
