import { readTrackingNumber } from '../../../../contract/orders/scanned-codes.ts';
import { fillField } from '../../../forms/dom-fields.ts';

/**
 * Replaces a scanned barcode in a field with the tracking number that it contains, which is what the shop stores. A number that
 * was typed keeps its spaces.
 */
export function showTrackingNumber(field: HTMLInputElement): void {
  const number = readTrackingNumber(field.value);
  if (number !== field.value.replace(/\s/g, '')) fillField(field, number);
}
