// Masks credentials that were pasted into text that is stored, listed or logged.

const patterns: readonly (readonly [RegExp, string])[] = [
  // API keys with the current and a retired prefix, including truncated ones. Percent-encoding may precede them, or
  // replace the underscore.
  [/(cm|mk)(?:_|%5[Ff])[0-9A-Za-z]{8,}/g, '$1_***'],
  [/(whsec|gh[opsur]|github_pat|glpat)([_-])[0-9A-Za-z_-]{8,}/g, '$1$2***'],
  // The ticket of a download grants access by itself.
  [/(\/downloads\/)[^/?\s"]+/g, '$1***'],
  // So does the token of a link to a build.
  [/(\/shared\/)[\w-]{60,}/g, '$1***'],
  [/(:\/\/[^\s/@:"]*:)[^\s/@"]+@/g, '$1***@'],
];

/**
 * Returns the text with credentials masked, or the same text if there are none.
 *
 * @example redact('/api/v1/builds/cm_4f…') // '/api/v1/builds/cm_***'
 */
export function redact(text: string): string {
  return patterns.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);
}
