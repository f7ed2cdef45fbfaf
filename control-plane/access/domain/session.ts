// Session tokens, session lifetime, and what each role may do.
import { hash, randomBytes } from 'node:crypto';
import type { Level } from '../../platform/domain/caller.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Role } from '../../platform/domain/role.js';

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Returns a random secret of 256 bits; the cookie carries it, the database stores only its `hashToken`. */
export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Whether the text has the format of a token, so that nothing else reaches the database. */
export function isTokenForm(text: string): boolean {
  return TOKEN.test(text);
}

/** SHA-256, hex: the token is random, so a slow hash would add nothing. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Returns the public identifier of a session. It cannot be used to sign in. */
export const sessionIdOf = (tokenHash: string): string => `ses_${tokenHash.slice(0, 16)}`;

export interface SessionLife {
  /** Last request with this session, in ms. */
  readonly seenAt: number;
  /** Absolute expiry, in ms. */
  readonly expiresAt: number;
}

/** Whether the session is neither past its absolute expiry nor idle for too long, which is shorter for operators. */
export function isLive(
  session: SessionLife & { readonly operator: boolean },
  now: number,
  limits: Pick<Limits, 'session_idle_ms' | 'operator_session_idle_ms'>,
): boolean {
  return now < session.expiresAt && now < session.seenAt + idleMs(session, limits);
}

/** How long after its last use a session ends, ms. */
export function idleMs(
  { operator }: { readonly operator: boolean },
  limits: Pick<Limits, 'session_idle_ms' | 'operator_session_idle_ms'>,
): number {
  const { session_idle_ms: usual, operator_session_idle_ms: operators } = limits;
  return operator ? Math.min(usual, operators) : usual;
}

/** A time at most this far in the future comes from a small correction of the clock. */
const CLOCK_ERROR_MS = 1_000;

/**
 * Whether the person has confirmed lately in this session who they are. A confirmation in the future does not count: it
 * means that the clock was set back while the service was stopped.
 */
export function isConfirmed(
  { confirmedAt }: { readonly confirmedAt: number | null },
  now: number,
  limits: Pick<Limits, 'session_confirm_ms'>,
): boolean {
  if (confirmedAt === null) return false;
  const age = now - confirmedAt;
  return age >= -CLOCK_ERROR_MS && age < limits.session_confirm_ms;
}

const levelsOfRole: Readonly<Record<Role, readonly Level[]>> = {
  owner: ['read', 'build', 'manage'],
  admin: ['read', 'build', 'manage'],
  developer: ['read', 'build'],
};

/** The levels of a signed-in person with this role. */
export function roleLevels(role: Role): readonly Level[] {
  return levelsOfRole[role];
}
