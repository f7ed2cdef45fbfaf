// Replaces credentials that somebody pasted where they do not belong, for text that is stored, listed or logged.

const patterns: readonly (readonly [RegExp, string])[] = [
  // API keys, present and retired prefix; a cut-off one too. Percent-encoding may stand right before it, and for its underscore.
  [/(cm|mk)(?:_|%5[Ff])[0-9A-Za-z]{8,}/g, '$1_***'],
  [/(whsec|gh[opsur]|github_pat|glpat)([_-])[0-9A-Za-z_-]{8,}/g, '$1$2***'],
  // Whoever has the ticket of a download needs nothing else.
  [/(\/downloads\/)[^/?\s"]+/g, '$1***'],
  [/(:\/\/[^\s/@:"]*:)[^\s/@"]+@/g, '$1***@'],
];

/**
 * Returns the text without credentials; text without any is returned as it is.
 *
 * @example redact('/api/v1/builds/cm_4f…') // '/api/v1/builds/cm_***'
 */
export function redact(text: string): string {
  return patterns.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);
}
