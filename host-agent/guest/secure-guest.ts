// Closes a fresh guest to everyone except its host. Two virtual machines of one host share a network, and the passwords
// of images are public.
import { type CallOptions, callGuest } from './call.js';
import { encodeFrame } from './frames.js';
import { guestProgram } from './program.js';
import type { GuestTransport } from './transport.js';

export interface SecureOptions {
  /** The password that the image came with. */
  password: string;
  /** For guests that are reached by ssh: the key that may log in, and the host key that sshd shows from now on. */
  ssh: { authorizedKey: string; hostKey: string } | null;
}

/**
 * Replaces the password by one that is nowhere outside the guest (its automatic login and login keychain follow),
 * turns off logins by password, and gives the user sudo without a password where the image does not.
 * Idempotent; for a guest in which nobody has built.
 *
 * @throws GuestError `no_sudo` when the user may not become root, GuestUnreachableError
 */
export async function secureGuest(
  transport: GuestTransport,
  { password, ssh }: SecureOptions,
  options: CallOptions,
): Promise<void> {
  const fields = [password, ssh?.authorizedKey ?? '', ssh?.hostKey ?? ''];
  const settings = encodeFrame('settings', fields.map((field) => `${field}\0`).join(''));
  await callGuest(transport, guestProgram('frames.pl', 'secure.pl'), [settings], options);
}
