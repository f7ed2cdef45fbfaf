// Makes a fresh guest reachable by ssh with the key of its Mac. This is the only time that the password of the image is
// used, and that an unknown host key is accepted.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import { type CallOptions, callGuest } from './call.js';
import type { GuestProgram } from './program.js';
import { type SecureOptions, secureGuest } from './secure-guest.js';
import { HOST_ALIAS, methodsQuery, passwordLogin, sshFiles } from './ssh-command.js';
import { explainSsh, type SshGuest, sshTransport } from './ssh-transport.js';
import { execTransport, GuestError, type GuestTransport, GuestUnreachableError } from './transport.js';

/** Between attempts while the guest boots. */
const RETRY_MS = 1_000;
/** The user database of a guest that boots may answer later than its sshd. */
const REFUSALS = 3;
/** One call; a guest that hangs is tried again. */
const CALL_MS = 60_000;

/**
 * Makes the keys of this Mac, logs in once with the password of the image, and closes the guest to all other logins.
 * Waits for a guest that is still booting. Idempotent: an interrupted setup is continued.
 *
 * @param options.timeoutMs how long to try
 * @throws GuestError `wrong_password`, `password_login` (the guest still offers it) or of `secureGuest`;
 *   GuestUnreachableError
 */
export async function setUpSsh(guest: SshGuest, password: string, options: CallOptions): Promise<void> {
  const { clock = systemClock, signal, timeoutMs } = options;
  const end = clock.monotonic() + timeoutMs;
  const call: CallOptions = { clock, signal, timeoutMs: Math.min(CALL_MS, timeoutMs) };
  const { authorizedKey, hostKey } = await makeKeys(guest.folder);
  let secured = hostKey === null;
  for (let refusals = 0; ; ) {
    try {
      if (hostKey !== null && !secured) {
        secured = await secureOnce(guest, { password, ssh: { authorizedKey, hostKey } }, call);
        if (!secured && ++refusals === REFUSALS) throw wrongPassword(guest);
      }
      if (secured) return await verify(guest, call);
    } catch (error) {
      if (!(error instanceof GuestUnreachableError) || clock.monotonic() >= end) throw error;
    }
    await pause(clock, RETRY_MS, signal);
  }
}

const wrongPassword = ({ user }: SshGuest) =>
  new GuestError('wrong_password', `the image does not accept the configured password of its user ${user}`);

/** Returns false when the guest takes neither the password nor the key. */
async function secureOnce(guest: SshGuest, secure: SecureOptions, call: CallOptions): Promise<boolean> {
  const { transport, refused } = passwordTransport(guest, await addressOf(guest), secure.password);
  const files = sshFiles(guest.folder);
  await writeFile(files.askpass, ASKPASS, { mode: 0o700 });
  try {
    await secureGuest(transport, secure, call);
    return true;
  } catch (error) {
    if (!(error instanceof GuestUnreachableError && refused())) throw error;
  } finally {
    await Promise.all([files.askpass, files.firstKnownHosts].map((file) => rm(file, { force: true })));
  }
  // An earlier attempt may have got as far as the key.
  const withKey = watched(sshTransport(guest));
  try {
    await secureGuest(withKey.transport, secure, call);
    return true;
  } catch (error) {
    if (error instanceof GuestUnreachableError && withKey.refused()) return false;
    throw error;
  }
}

const ASKPASS = `#!/bin/sh\nprintf '%s\\n' "$CIDERMILL_GUEST_PASSWORD"\n`;

async function addressOf(guest: SshGuest): Promise<string> {
  const address = await guest.address();
  if (address === null) throw new GuestUnreachableError('the virtual machine has no address');
  return address;
}

function passwordTransport(guest: SshGuest, address: string, password: string) {
  return watched(execTransport((argv) => passwordLogin(guest, password, address, guest, argv), 'ssh'));
}

interface Watched {
  transport: GuestTransport;
  /** Whether the guest has refused the login. */
  refused(): boolean;
}

function watched(inner: GuestTransport): Watched {
  let refused = false;
  const open: GuestTransport['open'] = (argv) => {
    const connection = inner.open(argv);
    const closed = connection.closed.then(({ code, stderr }) => {
      // A guest that already has the host key of this Mac accepts only the login key.
      refused = /permission denied|host key verification failed/i.test(stderr);
      return { code, stderr: explainSsh(stderr) };
    });
    return { ...connection, closed };
  };
  return { transport: { kind: 'ssh', open }, refused: () => refused };
}

const GREETING: GuestProgram = { language: 'perl', source: Buffer.from(`syswrite STDOUT, "done 0\\n";`) };

/** Checks that the key works, that the guest has the new host key, and that it offers no login by password. */
async function verify(guest: SshGuest, call: CallOptions): Promise<void> {
  await callGuest(sshTransport(guest), GREETING, [], call);
  const address = await addressOf(guest);
  const { stderr } = await execTransport(() => methodsQuery(guest, address, guest), 'ssh').open([]).closed;
  const methods = /permission denied \(([^)]*)\)/i.exec(stderr)?.[1]?.split(',') ?? [];
  if (methods.length === 0) throw new GuestUnreachableError(explainSsh(stderr));
  if (methods.some((method) => method !== 'publickey')) {
    const list = methods.join(', ');
    throw new GuestError('password_login', `the guest still offers these methods of authentication: ${list}`);
  }
  await forgetHostKey(guest.folder);
}

interface MacKeys {
  /** Line of an authorized_keys file. */
  authorizedKey: string;
  /** Private host key for the guest; null: the guest has it, and this host no longer does. */
  hostKey: string | null;
}

const hostKeyFile = (folder: string) => join(folder, 'host_key');

/**
 * Makes the keys, once. known_hosts is written last: with it, both are complete. All files are readable by this user
 * only.
 */
async function makeKeys(folder: string): Promise<MacKeys> {
  const files = sshFiles(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(files.knownHosts)) {
    await generate(files.key);
    await generate(hostKeyFile(folder));
    const hostKey = await readFile(`${hostKeyFile(folder)}.pub`, 'utf8');
    await writeFile(`${files.knownHosts}.new`, `${HOST_ALIAS} ${hostKey}`, { mode: 0o600 });
    await rename(`${files.knownHosts}.new`, files.knownHosts);
  }
  return {
    authorizedKey: await readFile(files.publicKey, 'utf8'),
    hostKey: existsSync(hostKeyFile(folder)) ? await readFile(hostKeyFile(folder), 'utf8') : null,
  };
}

/** Deletes the guest's private key on this host, which needs it no longer. */
async function forgetHostKey(folder: string): Promise<void> {
  await rm(hostKeyFile(folder), { force: true });
}

async function generate(file: string): Promise<void> {
  // ssh-keygen asks before it overwrites.
  await Promise.all([rm(file, { force: true }), rm(`${file}.pub`, { force: true })]);
  const args = ['-q', '-t', 'ed25519', '-N', '', '-C', 'cidermill', '-f', file];
  await promisify(execFile)('/usr/bin/ssh-keygen', args, { timeout: 60_000 });
}
