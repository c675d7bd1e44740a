import { findMistypedCarrier } from '../../../../contract/orders/carriers.ts';
import { Icon } from '../../../components/layout/icon.tsx';

/** The hint of a tracking number's field if its check digit is wrong. The number can still be submitted. */
export function warnOfCheckDigit(trackingNumber: string) {
  const carrier = findMistypedCarrier(trackingNumber);
  return (
    carrier && (
      <span role="status" className="font-medium text-ruby">
        <Icon name="wrong" className="mr-2" />
        {`The check digit of this ${carrier} number is wrong. Look for a typo.`}
      </span>
    )
  );
}

/**
 * The text that asks the admin to press the form's button again to use a number although its check digit is wrong. Undefined if
 * the number may be right.
 */
export function askAboutCheckDigit(trackingNumber: string, button: string): string | undefined {
  const carrier = findMistypedCarrier(trackingNumber);
  return (
    carrier &&
    `The check digit of this ${carrier} number is wrong. Look for a typo, or press ${button} again to use it as typed.`
  );
}
