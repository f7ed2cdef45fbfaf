// Tickets: texts in an address that prove a permission by themselves until they expire. Sealed with the key file, so that
// nobody can forge or change one, and nothing is stored.
import type { Clock } from '../../../shared/clock.js';
import type { Vault } from './vault.js';

export interface Ticket {
  readonly ticket: string;
  readonly expiresAt: number;
}

export interface Tickets {
  /** @throws ApiError secrets_unavailable */
  issue(id: string): Ticket;
  /** Returns null if the ticket is forged, truncated, expired, or sealed with a key that no longer exists. */
  read(ticket: string): { readonly id: string; readonly expiresAt: number } | null;
}

/** @param of.purpose tickets of one purpose are not valid for another */
export function createTickets(
  { vault, clock }: { vault: Pick<Vault, 'sealBytes' | 'openBytes'>; clock: Clock },
  of: { purpose: string; validMs: number },
): Tickets {
  return {
    issue(id) {
      const expiresAt = clock.now() + of.validMs;
      const sealed = vault.sealBytes(`${expiresAt} ${id}`, of.purpose);
      return { ticket: sealed.toString('base64url'), expiresAt };
    },
    read(ticket) {
      const [expires = '', id = ''] = opened(ticket)?.split(' ') ?? [];
      const expiresAt = Number(expires);
      return expiresAt > clock.now() ? { id, expiresAt } : null;
    },
  };

  function opened(ticket: string): string | null {
    const sealed = Buffer.from(ticket, 'base64url');
    // Decoding ignores characters that are not of the alphabet, and one too many at the end.
    if (sealed.toString('base64url') !== ticket) return null;
    try {
      return vault.openBytes(sealed, of.purpose).toString();
    } catch {
      // Any ticket that does not open is treated alike.
      return null;
    }
  }
}
