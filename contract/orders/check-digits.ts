export const toDigits = (text: string): number[] => [...text].map(Number);

/** Weights from the left; the check digit is not weighted. */
export const sumWeighted = (digits: readonly number[], weights: readonly number[]): number =>
  digits.reduce((sum, digit, at) => sum + digit * (weights[at % weights.length] ?? 0), 0);

/** Mod 10 with the weights 3 and 1, from the digit before the check digit (GS1 General Specifications 7.9). */
export function hasGs1CheckDigit(number: string): boolean {
  const [check = 0, ...digits] = toDigits(number).reverse();
  return (sumWeighted(digits, [3, 1]) + check) % 10 === 0;
}

/** The check digit of FedEx's numbers of twelve digits. */
export function hasFedExCheckDigit(number: string): boolean {
  const sum = sumWeighted(toDigits(number.slice(0, -1)), [3, 1, 7]);
  return (sum % 11) % 10 === Number(number.at(-1));
}
