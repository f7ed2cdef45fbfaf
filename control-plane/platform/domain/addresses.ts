// URLs of this service that are shown to users and clients.

export interface SiteAddresses {
  /** Without a trailing slash. */
  readonly siteUrl: string;
}

// Paths of the three APIs from the site's root.
export const API_ROOT = '/api/v1';
export const CONSOLE_ROOT = '/api/runner';
export const OPERATOR_ROOT = '/api/operator';

/** @example apiUrl({ siteUrl: 'http://127.0.0.1:8460' }, '/builds') // 'http://127.0.0.1:8460/api/v1/builds' */
export function apiUrl(site: SiteAddresses, path: string): string {
  return `${site.siteUrl}${API_ROOT}${path}`;
}

export function buildLogUrl(site: SiteAddresses, buildId: string): string {
  return apiUrl(site, `/builds/${buildId}/log`);
}

export function buildConsoleUrl(site: SiteAddresses, buildId: string): string {
  return `${site.siteUrl}/builds/${buildId}`;
}

/** Returns the URL where a person consents to an order and pays it. */
export function payUrl(site: SiteAddresses, orderNo: string): string {
  return `${site.siteUrl}/pay/${orderNo}`;
}

/** Returns the URL where a person consents to a top-up and pays it. */
export function topUpPayUrl(site: SiteAddresses, orderId: string): string {
  return `${site.siteUrl}/pay/topup/${orderId}`;
}
