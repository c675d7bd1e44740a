/** Declines in Stripe's wording. https://docs.stripe.com/declines/codes */
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
  card_velocity_exceeded: {
    code: 'card_declined',
    message:
      'Your card was declined for making repeated attempts too frequently or exceeding its amount limit.',
  },
  fraudulent: { code: 'card_declined', message: 'Your card was declined.' },
  test_mode_live_card: {
    code: 'card_declined',
    message: 'Your card was declined. Your request was in test mode, but used a non test card.',
  },
} as const;

export type DeclineCode = keyof typeof declines;

/** The behaviour of a test card when it is charged and when the charge is refunded. Stored as JSON. */
export interface CardBehaviour {
  authenticate?: boolean;
  decline?: DeclineCode;
  /** `succeeds`: a refund is first pending, then succeeds. `fails`: it first succeeds, then fails. */
  refundLater?: 'succeeds' | 'fails';
  /** The customer disputes the payment as soon as it has succeeded. */
  dispute?: boolean;
}

/**
 * The test cards of https://docs.stripe.com/testing: number, name in `pm_card_…` if any, behaviour. Radar's default rules
 * apply: payments with the highest risk or a wrong CVC are blocked.
 */
const testCards: [number: string, method?: string, behaviour?: CardBehaviour][] = [
  ['4242424242424242', 'visa'],
  ['4000056655665556', 'visa_debit'],
  ['5555555555554444', 'mastercard'],
  ['2223003122003222'],
  ['5200828282828210', 'mastercard_debit'],
  ['5105105105105100', 'mastercard_prepaid'],
  ['378282246310005', 'amex'],
  ['371449635398431'],
  ['6011111111111117', 'discover'],
  ['6011000990139424'],
  ['6011981111111113'],
  ['3056930009020004', 'diners'],
  ['36227206271667'],
  ['6555900000604105'],
  ['3566002020360505', 'jcb'],
  ['6200000000000005', 'unionpay'],
  ['6200000000000047'],
  ['6205500000000000004'],
  ['4000000000000002', 'visa_chargeDeclined', { decline: 'generic_decline' }],
  ['4000000000009995', 'visa_chargeDeclinedInsufficientFunds', { decline: 'insufficient_funds' }],
  ['4000000000009987', 'visa_chargeDeclinedLostCard', { decline: 'lost_card' }],
  ['4000000000009979', 'visa_chargeDeclinedStolenCard', { decline: 'stolen_card' }],
  ['4000000000000069', 'chargeDeclinedExpiredCard', { decline: 'expired_card' }],
  ['4000000000000127', 'chargeDeclinedIncorrectCvc', { decline: 'incorrect_cvc' }],
  ['4000000000000119', 'chargeDeclinedProcessingError', { decline: 'processing_error' }],
  ['4000000000006975', 'visa_chargeDeclinedVelocityLimitExceeded', { decline: 'card_velocity_exceeded' }],
  ['4100000000000019', 'radarBlock', { decline: 'fraudulent' }],
  ['4000000000004954', 'riskLevelHighest', { decline: 'fraudulent' }],
  ['4000000000009235', 'riskLevelElevated'],
  ['4000000000000101', 'cvcCheckFail', { decline: 'incorrect_cvc' }],
  ['4000000000000259', 'createDispute', { dispute: true }],
  ['4000000000007726', 'pendingRefund', { refundLater: 'succeeds' }],
  ['4000000000005126', 'refundFail', { refundLater: 'fails' }],
  ['4000002500003155', 'authenticationRequiredOnSetup', { authenticate: true }],
  ['4000002760003184', 'authenticationRequired', { authenticate: true }],
  ['4000000000003220', 'threeDSecure2Required', { authenticate: true }],
  [
    '4000008400001629',
    'threeDSecureRequiredChargeDeclined',
    { authenticate: true, decline: 'generic_decline' },
  ],
  [
    '4000008260003178',
    'authenticationRequiredChargeDeclinedInsufficientFunds',
    { authenticate: true, decline: 'insufficient_funds' },
  ],
];

/** A number that is not a test card is declined, as in Stripe's test mode. */
export function getCardBehaviour(number: string, hasCvc: boolean): CardBehaviour {
  const card = testCards.find(([testNumber]) => testNumber === number);
  if (!card) return { decline: 'test_mode_live_card' };
  const behaviour = card[2] ?? {};
  // Without a CVC, the CVC check cannot fail.
  return behaviour.decline === 'incorrect_cvc' && !hasCvc ? {} : behaviour;
}

/** The card number of `pm_card_…`. */
export function findTestMethodNumber(method: string): string | undefined {
  return testCards.find(([, name]) => name && `pm_card_${name}` === method)?.[0];
}

export function declineError(code: DeclineCode) {
  return { type: 'card_error', decline_code: code, ...declines[code] } as const;
}

export function getCardBrand(number: string): string {
  if (/^4/.test(number)) return 'visa';
  if (/^(5[1-5]|2[2-7])/.test(number)) return 'mastercard';
  if (/^3[47]/.test(number)) return 'amex';
  if (/^6(011|4|5)/.test(number)) return 'discover';
  if (/^3[068]/.test(number)) return 'diners';
  if (/^35/.test(number)) return 'jcb';
  return /^62/.test(number) ? 'unionpay' : 'unknown';
}

/** Verifies the check digit (ISO/IEC 7812). */
export function passesLuhn(number: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...number].reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return /^\d{12,19}$/.test(number) && sum % 10 === 0;
}
