/** The card field's rules: how input is formatted, and which problems it has. */

/** @typedef {{ type: 'validation_error', code: string, message: string }} Problem */

/** @type {[brand: string, start: RegExp, lengths: number[]][]} */
const brands = [
  ['visa', /^4/, [16]],
  ['mastercard', /^(5[1-5]|2[2-7])/, [16]],
  ['amex', /^3[47]/, [15]],
  ['discover', /^6(011|4|5)/, [16]],
  ['diners', /^3[068]/, [14, 16]],
  ['jcb', /^35/, [16]],
  ['unionpay', /^62/, [16, 19]],
];

/** @param {string} number digits only */
export function findBrand(number) {
  const [brand = 'unknown', , lengths = [16]] = brands.find(([, start]) => start.test(number)) ?? [];
  return { brand, lengths, cvc: brand === 'amex' ? 4 : 3, longest: Math.max(...lengths) };
}

/** @param {string} typed */
export const digitsOf = (typed) => typed.replace(/\D/g, '');

/** 4242 4242 4242 4242, or 3782 822463 10005. @param {string} typed */
export function formatNumber(typed) {
  const { brand, longest } = findBrand(digitsOf(typed));
  const digits = digitsOf(typed).slice(0, longest);
  const groups = brand === 'amex' ? /^(\d{0,4})(\d{0,6})(\d{0,5})/ : /(\d{0,4})(\d{0,4})(\d{0,4})(\d{0,7})/;
  return (groups.exec(digits) ?? []).slice(1).filter(Boolean).join(' ');
}

/** Formats as 12 / 34. A first digit above 1 is a one-digit month; autofill may enter a four-digit year. @param {string} typed */
export function formatExpiry(typed) {
  let digits = digitsOf(/^[2-9]/.test(typed) ? `0${typed}` : typed.replace(/^(\d)\s*\/\s*/, '0$1'));
  if (/^\d{2}20\d{2}$/.test(digits)) digits = digits.slice(0, 2) + digits.slice(4);
  const [month, year] = [digits.slice(0, 2), digits.slice(2, 4)];
  return month.length === 2 && (year || /\/\s*$/.test(typed)) ? `${month} / ${year}` : month;
}

/** @param {string} code @param {string} text @returns {Problem} */
const problem = (code, text) => ({ type: 'validation_error', code, message: `Your ${text}.` });

/** @param {string} typed */
export function findNumberProblem(typed) {
  const number = digitsOf(typed);
  const { lengths } = findBrand(number);
  if (number.length < Math.min(...lengths)) return problem('incomplete_number', 'card number is incomplete');
  if (!passesLuhn(number)) return problem('invalid_number', 'card number is invalid');
  return undefined;
}

/** @param {string} number */
function passesLuhn(number) {
  let sum = 0;
  for (const [index, digit] of [...number].reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** @param {string} typed @param {Date} now */
export function findExpiryProblem(typed, now = new Date()) {
  const { month, year } = readExpiry(typed);
  if (digitsOf(typed).length < 4) {
    return problem('incomplete_expiry', "card's expiration date is incomplete");
  }
  if (month < 1 || month > 12) return problem('invalid_expiry_month', "card's expiration date is invalid");
  if (year < now.getFullYear()) {
    return problem('invalid_expiry_year_past', "card's expiration year is in the past");
  }
  if (year > now.getFullYear() + 50) {
    return problem('invalid_expiry_year', "card's expiration year is invalid");
  }
  if (year === now.getFullYear() && month <= now.getMonth()) {
    return problem('invalid_expiry_month_past', "card's expiration date is in the past");
  }
  return undefined;
}

/** @param {string} typed */
export function readExpiry(typed) {
  const digits = digitsOf(typed);
  return { month: Number(digits.slice(0, 2)), year: 2000 + Number(digits.slice(2, 4)) };
}

/** @param {string} typed @param {string} number */
export function findCvcProblem(typed, number) {
  const complete = digitsOf(typed).length >= findBrand(digitsOf(number)).cvc;
  return complete ? undefined : problem('incomplete_cvc', "card's security code is incomplete");
}

/** Without letters, the code is a ZIP code of five digits. With letters, it is a foreign postal code. @param {string} typed */
export function findPostalProblem(typed) {
  const length = typed.replace(/[\s-]/g, '').length;
  const complete = /[a-z]/i.test(typed) ? length >= 3 : length >= 5;
  return complete ? undefined : problem('incomplete_zip', 'postal code is incomplete');
}
