import { randomInt } from 'node:crypto';
import { numberAlphabet } from '../../../contract/orders/purchase-number.ts';

/** A random purchase number, such as `K7QD-2M4X`. */
export function makePurchaseNumber(): string {
  const characters = Array.from({ length: 8 }, () => numberAlphabet.charAt(randomInt(32))).join('');
  return `${characters.slice(0, 4)}-${characters.slice(4)}`;
}
