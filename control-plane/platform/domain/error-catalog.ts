// All API errors in one table (a file for each subject in errors/), and the error that every layer throws.
import { buildsErrors } from './errors/builds.js';
import { callersErrors } from './errors/callers.js';
import { hostsErrors } from './errors/hosts.js';
import { identitiesErrors } from './errors/identities.js';
import { maintenanceErrors } from './errors/maintenance.js';
import { ordersErrors } from './errors/orders.js';
import { organizationsErrors } from './errors/organizations.js';
import { paymentsErrors } from './errors/payments.js';
import { rentalsErrors } from './errors/rentals.js';
import { requestsErrors } from './errors/requests.js';
import type { ErrorRow, NextRequest } from './errors/row.js';
import { secretsAndWebhooksErrors } from './errors/secrets-and-webhooks.js';
import { uploadsErrors } from './errors/uploads.js';
import type { InvalidField } from './invalid-field.js';
import type { Refusal } from './refusal.js';

const rows = {
  ...callersErrors,
  ...identitiesErrors,
  ...organizationsErrors,
  ...requestsErrors,
  ...ordersErrors,
  ...paymentsErrors,
  ...rentalsErrors,
  ...maintenanceErrors,
  ...buildsErrors,
  ...uploadsErrors,
  ...secretsAndWebhooksErrors,
  ...hostsErrors,
};

export type ErrorCode = keyof typeof rows;

export const errorCatalog: Readonly<Record<ErrorCode, ErrorRow>> = rows;

export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(errorCatalog, text);

/** Returns whether the same request can succeed later. */
export const isRetryable = (code: ErrorCode): boolean => errorCatalog[code].retryAfterS !== null;

/** Corrected body or query of the failed request; only included in `next`. */
export type Corrected = { readonly body: Record<string, unknown> } | { readonly query: Record<string, unknown> };

export interface ApiErrorOptions {
  /** More specific than the catalog's message; must not contain secrets. */
  message?: string;
  /** Additional members of the error object: job_id, options, field, items, required_level … */
  detail?: Readonly<Record<string, unknown>> & {
    readonly fields?: readonly InvalidField[];
    readonly refusals?: readonly Refusal[] | undefined;
  };
  /** Default: that of the catalog. */
  retryAfterS?: number;
  next?: readonly NextRequest[];
  corrected?: Corrected;
  cause?: unknown;
}

/**
 * An error of the catalog. Any layer of the control plane may throw it; the HTTP layer converts it to the envelope.
 *
 * @example throw new ApiError('upload_incomplete', { detail: { missing: 3 } })
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly detail: NonNullable<ApiErrorOptions['detail']>;
  readonly retryAfterS: number | null;
  readonly next: readonly NextRequest[];
  readonly corrected: Corrected | null;
  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    super(options.message ?? errorCatalog[code].message, options.cause ? { cause: options.cause } : undefined);
    this.name = 'ApiError';
    this.code = code;
    this.detail = options.detail ?? {};
    this.retryAfterS = options.retryAfterS ?? errorCatalog[code].retryAfterS;
    this.next = options.next ?? [];
    this.corrected = options.corrected ?? null;
  }
}
