// What the identity provider says about a person, and which of these people may sign in.
import { visibleText } from '../../../shared/clean-text.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { normalizeEmail } from '../../platform/domain/person.js';

export interface IdentityClaims {
  readonly issuer: string;
  readonly subject: string;
  /** As the provider gives it; null: it gives none. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
  /** How long ago the person entered a password there, or the like, ms; null: the provider does not say. */
  readonly ageMs: number | null;
}

/** Returns the address, normalized. Throws identity_email_unverified. */
export function verifiedEmail({ email, emailVerified }: IdentityClaims): string {
  const address = emailVerified ? normalizeEmail(email ?? '') : null;
  if (address === null) throw new ApiError('identity_email_unverified');
  return address;
}

/** White space, and characters that control a terminal, or reorder the text around them. */
const MISLEADING = /[\s\p{Cc}\p{Cs}\p{Bidi_Control}]+/gu;

/** Returns the name of a new person, as names may be here; null: the provider gives none. */
export function nameOf({ name }: IdentityClaims, longest: number): string | null {
  const cut = name?.normalize('NFC').trim().slice(0, longest).replaceAll(MISLEADING, ' ').trim() ?? '';
  return visibleText(cut).trim() === '' ? null : cut;
}

/**
 * Checks the domain of the e-mail address, where only some are allowed.
 *
 * @param allowed in lower case; empty: any, and the address does not matter
 * @throws ApiError identity_email_unverified, identity_domain_refused
 */
export function checkDomain(claims: IdentityClaims, allowed: readonly string[]): void {
  if (allowed.length === 0) return;
  const email = verifiedEmail(claims);
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (!allowed.includes(domain)) throw new ApiError('identity_domain_refused');
}
