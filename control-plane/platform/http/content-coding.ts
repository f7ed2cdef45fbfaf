// Which compression a client accepts (RFC 9110, section 12.5.3).

export type ContentCoding = 'br' | 'gzip';

/** The one that makes answers smaller comes first. */
const codings: readonly ContentCoding[] = ['br', 'gzip'];

/**
 * Returns the coding for an Accept-Encoding header: of those that the client likes equally, the one with the smaller answers.
 * Null: it accepts none of ours.
 *
 * @example contentCoding('gzip, deflate, br;q=0.5') // 'gzip'
 */
export function contentCoding(accepted: string | string[] | undefined): ContentCoding | null {
  const weights = new Map<string, number>();
  for (const part of String(accepted ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    const weight = parameters.find((each) => each.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  const weightOf = (coding: ContentCoding) => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = codings.filter((coding) => weightOf(coding) > 0).sort((one, other) => weightOf(other) - weightOf(one));
  return best ?? null;
}
