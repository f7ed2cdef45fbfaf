// The content security policies of the console's pages.

const policyOf = (directives: Readonly<Record<string, string>>) =>
  Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');

const strict = (nonce: string) => ({
  'default-src': "'none'",
  'script-src': `'self' 'nonce-${nonce}'`,
  'style-src': `'self' 'nonce-${nonce}'`,
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
});

/** Nothing from another address, no inline script or style without the nonce of this response. */
export const consolePolicy = (nonce: string): string => policyOf(strict(nonce));

/**
 * For the pay page when PortOne is configured: its script adds inline styles for its frame, and opens the site of the
 * provider that the payer selects.
 */
export const payPolicy = (nonce: string): string =>
  policyOf({
    ...strict(nonce),
    'script-src': `'self' 'nonce-${nonce}' https://cdn.portone.io`,
    'style-src': "'self' 'unsafe-inline'",
    'img-src': "'self' data: https:",
    'connect-src': "'self' https://*.portone.io",
    'frame-src': 'https:',
    'form-action': "'self' https:",
  });
