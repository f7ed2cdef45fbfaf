// Amounts of credit in texts.

/**
 * Returns an amount in dollars with six digits after the point.
 *
 * @example usdText(-1) // '-0.000001'
 */
export function usdText(microUsd: number): string {
  const digits = String(Math.abs(microUsd)).padStart(7, '0');
  return `${microUsd < 0 ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
