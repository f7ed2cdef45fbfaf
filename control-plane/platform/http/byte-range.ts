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

/** Bytes that never change under their tag. */
export interface RangedContent {
  readonly bytes: number;
  /** Without quotes. */
  readonly tag: string;
}

export interface RangedAnswer {
  readonly status: 200 | 206 | 416;
  readonly headers: Readonly<Record<string, string>>;
  /** What is sent of the content; the end is exclusive. */
  readonly part: { readonly start: number; readonly end: number };
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns status and headers of the answer to a request, which may want a range of the content. */
export function rangedAnswer({ range, 'if-range': condition }: Headers, { bytes, tag }: RangedContent): RangedAnswer {
  const etag = `"${tag}"`;
  const isSame = condition === undefined || condition === etag;
  const asked = isSame && typeof range === 'string' ? byteRange(range, bytes) : null;
  const headers = { 'accept-ranges': 'bytes', etag };
  if (asked === 'unsatisfiable') {
    const none = { 'content-range': `bytes */${bytes}`, 'content-length': '0' };
    return { status: 416, headers: { ...headers, ...none }, part: { start: 0, end: 0 } };
  }
  const part = asked === null ? { start: 0, end: bytes } : { start: asked.start, end: asked.end + 1 };
  const sent = { ...headers, 'content-length': String(part.end - part.start) };
  if (asked === null) return { status: 200, headers: sent, part };
  return {
    status: 206,
    headers: { ...sent, 'content-range': `bytes ${asked.start}-${asked.end}/${bytes}` },
    part,
  };
}
