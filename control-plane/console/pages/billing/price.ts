// What a top-up will cost, and what a withdrawal will take. The service computes the same; these are shown before it is
// asked. Integers only: binary fractions would be a won off.

const VAT_SHARE = 11n;

/** Returns the won of whole dollars at a decimal rate such as `1466.40`, rounded up. */
export function priceOf(usd: number, rate: string): number {
  const [whole = '', fraction = ''] = rate.split('.');
  const unit = 10n ** BigInt(fraction.length);
  return Number((BigInt(usd) * BigInt(whole + fraction) + unit - 1n) / unit);
}

/** Returns the VAT (10 %) that a price includes, to the nearest won. */
export const vatOf = (won: number): number => Number((2n * BigInt(won) + VAT_SHARE) / (2n * VAT_SHARE));

/** Returns the credit that goes when this many won of a top-up have been paid back. */
export const creditGone = (
  { amount_krw, credit_micro_usd }: { readonly amount_krw: number; readonly credit_micro_usd: number },
  won: number,
): number => Number((BigInt(credit_micro_usd) * BigInt(won) + BigInt(amount_krw) - 1n) / BigInt(amount_krw));

/**
 * Returns a rate as money, with all its digits.
 *
 * @example rateText('1466.40', format.won) // '₩1,466.40'
 */
export function rateText(rate: string, won: (amount: number) => string): string {
  const [whole = '0', fraction] = rate.split('.');
  return won(Number(whole)) + (fraction === undefined ? '' : `.${fraction}`);
}
