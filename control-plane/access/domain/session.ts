// A person's sign-in: how its token looks, how long it lives, and what each role may do.
import { hash, randomBytes } from 'node:crypto';
import type { Level } from '../../platform/domain/caller.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Role } from '../../platform/domain/role.js';

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A new secret of 256 bits; the cookie carries it, the database keeps `hashToken` of it only. */
export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Whether the text can be a token at all, so that nothing else reaches the database. */
export function isTokenForm(text: string): boolean {
  return TOKEN.test(text);
}

/** SHA-256, hex: the token is random, so a slow hash would add nothing. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

export interface SessionLife {
  /** When a request last came with it, ms. */
  readonly seenAt: number;
  /** When it ends however busy it is, ms. */
  readonly expiresAt: number;
}

/** A session ends when nobody used it for `session_idle_ms`, and at its absolute end in any case. */
export function isLive(session: SessionLife, now: number, limits: Pick<Limits, 'session_idle_ms'>): boolean {
  return now < session.expiresAt && now < session.seenAt + limits.session_idle_ms;
}

const levelsOfRole: Readonly<Record<Role, readonly Level[]>> = {
  owner: ['read', 'build', 'manage'],
  admin: ['read', 'build', 'manage'],
  developer: ['read', 'build'],
};

/** What a signed-in person may do in the organization in which they have this role. */
export function roleLevels(role: Role): readonly Level[] {
  return levelsOfRole[role];
}
