/** Declines as Stripe words them. https://docs.stripe.com/declines/codes */
const declines = {
  generic_decline: { code: 'card_declined', message: 'Your card was declined.' },
  insufficient_funds: { code: 'card_declined', message: 'Your card has insufficient funds.' },
  lost_card: { code: 'card_declined', message: 'Your card was declined.' },
  stolen_card: { code: 'card_declined', message: 'Your card was declined.' },
  expired_card: { code: 'expired_card', message: 'Your card has expired.' },
  incorrect_cvc: { code: 'incorrect_cvc', message: "Your card's security code is incorrect." },
  processing_error: {
    code: 'processing_error',
    message: 'An error occurred while processing your card. Try again in a little bit.',
  },
  test_mode_live_card: {
    code: 'card_declined',
    message: 'Your card was declined. Your request was in test mode, but used a non test card.',
  },
} as const;

export type DeclineCode = keyof typeof declines;

/** What a test card does when it is charged. */
export interface Behaviour {
  authenticate: boolean;
  decline: DeclineCode | null;
}

/**
 * The test cards: number, the payment method `pm_card_…` that stands for it, whether the bank asks for
 * authentication, how it declines then. https://docs.stripe.com/testing
 */
const testCards: [number: string, method: string, authenticate?: boolean, decline?: DeclineCode][] = [
  ['4242424242424242', 'visa'],
  ['4000056655665556', 'visa_debit'],
  ['5555555555554444', 'mastercard'],
  ['5200828282828210', 'mastercard_debit'],
  ['378282246310005', 'amex'],
  ['6011111111111117', 'discover'],
  ['3056930009020004', 'diners'],
  ['3566002020360505', 'jcb'],
  ['6200000000000005', 'unionpay'],
  ['4000000000000002', 'visa_chargeDeclined', false, 'generic_decline'],
  ['4000000000009995', 'visa_chargeDeclinedInsufficientFunds', false, 'insufficient_funds'],
  ['4000000000009987', 'visa_chargeDeclinedLostCard', false, 'lost_card'],
  ['4000000000009979', 'visa_chargeDeclinedStolenCard', false, 'stolen_card'],
  ['4000000000000069', 'chargeDeclinedExpiredCard', false, 'expired_card'],
  ['4000000000000127', 'chargeDeclinedIncorrectCvc', false, 'incorrect_cvc'],
  ['4000000000000119', 'chargeDeclinedProcessingError', false, 'processing_error'],
  ['4000002500003155', 'authenticationRequiredOnSetup', true],
  ['4000002760003184', 'authenticationRequired', true],
  ['4000000000003220', 'threeDSecure2Required', true],
  ['4000008400001629', 'threeDSecureRequiredChargeDeclined', true, 'generic_decline'],
  ['4000008260003178', 'authenticationRequiredChargeDeclinedInsufficientFunds', true, 'insufficient_funds'],
];

/** A number that is no test card is declined, as Stripe's own test mode does: real cards do not belong here. */
export function behaviourOf(number: string): Behaviour {
  const card = testCards.find(([known]) => known === number);
  if (!card) return { authenticate: false, decline: 'test_mode_live_card' };
  return { authenticate: card[2] ?? false, decline: card[3] ?? null };
}

/** The number behind `pm_card_…`. */
export function findTestMethodNumber(method: string): string | undefined {
  return testCards.find(([, name]) => `pm_card_${name}` === method)?.[0];
}

export function declineError(code: DeclineCode) {
  return { type: 'card_error', decline_code: code, ...declines[code] } as const;
}

export function brandOf(number: string): string {
  if (/^4/.test(number)) return 'visa';
  if (/^(5[1-5]|2[2-7])/.test(number)) return 'mastercard';
  if (/^3[47]/.test(number)) return 'amex';
  if (/^6(011|4|5)/.test(number)) return 'discover';
  if (/^3[068]/.test(number)) return 'diners';
  if (/^35/.test(number)) return 'jcb';
  return /^62/.test(number) ? 'unionpay' : 'unknown';
}

/** The check digit of ISO/IEC 7812. */
export function passesLuhn(number: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...number].reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return /^\d{12,19}$/.test(number) && sum % 10 === 0;
}
