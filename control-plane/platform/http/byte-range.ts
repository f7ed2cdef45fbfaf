// The Range header (RFC 9110), so that a broken download continues where it ended.

export interface SentRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

/**
 * Returns the range of a request, null for the whole content, or 'unsatisfiable'. Several ranges and other units get the
 * whole content.
 *
 * @example byteRange('bytes=100-', 250) // { start: 100, end: 249 }
 */
export function byteRange(header: string | undefined, bytes: number): SentRange | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') {
    if (Number(last) === 0 || bytes === 0) return 'unsatisfiable';
    return { start: Math.max(0, bytes - Number(last)), end: bytes - 1 };
  }
  if (last !== '' && Number(last) < Number(first)) return null;
  if (Number(first) >= bytes) return 'unsatisfiable';
  return { start: Number(first), end: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) };
}
