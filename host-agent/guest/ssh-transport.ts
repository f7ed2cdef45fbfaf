// Commands in a guest over ssh, with the key and the host key of its Mac.
import { PassThrough } from 'node:stream';
import { keyLogin, type SshIdentity, type SshTimes } from './ssh-command.js';
import { execTransport, type GuestConnection, type GuestTransport } from './transport.js';

export interface SshGuest extends SshIdentity, SshTimes {
  /** Finds the guest's present address; null: it has none (yet). */
  address(): Promise<string | null>;
}

/** ssh uses this for its own failures. */
const SSH_FAILED = 255;

/**
 * Returns a transport to a guest that `setUpSsh` has prepared. After a failed connection the address is looked up
 * again: a guest may get another one when it boots.
 */
export function sshTransport(guest: SshGuest): GuestTransport {
  let address: string | null = null;
  return {
    kind: 'ssh',
    open(argv) {
      const opened =
        address === null
          ? deferred(async () => {
              address = await guest.address();
              return address === null ? null : connect(guest, address, argv);
            })
          : connect(guest, address, argv);
      const closed = opened.closed.then(({ code, stderr }) => {
        if (code === SSH_FAILED) address = null;
        return { code, stderr: explainSsh(stderr) };
      });
      return { ...opened, closed };
    },
  };
}

const connect = (guest: SshGuest, address: string, argv: readonly string[]): GuestConnection =>
  execTransport((command) => keyLogin(guest, address, guest, command), 'ssh').open(argv);

/** Returns a connection that is opened as soon as the guest's address is known. */
function deferred(open: () => Promise<GuestConnection | null>): GuestConnection {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let opened: GuestConnection | null = null;
  let ended = false;
  const run = async () => {
    opened = await open();
    if (opened === null) return { code: SSH_FAILED, stderr: 'the virtual machine has no address' };
    if (ended) opened.destroy();
    stdin.pipe(opened.stdin);
    opened.stdout.pipe(stdout);
    opened.stdout.once('close', () => stdout.end());
    return opened.closed;
  };
  const closed = run().catch((error: unknown) => ({ code: SSH_FAILED, stderr: messageOf(error) }));
  void closed.then(() => {
    if (opened === null) stdout.end();
  });
  return {
    stdin,
    stdout,
    closed,
    destroy() {
      ended = true;
      opened?.destroy();
      stdin.destroy();
      stdout.destroy();
    },
  };
}

const messageOf = (error: unknown) =>
  `cannot find the address of the virtual machine: ${error instanceof Error ? error.message : String(error)}`;

const explanations: readonly [RegExp, string][] = [
  [
    /host identification has changed|host key verification failed/i,
    'the guest shows another host key than the one that it got when its Mac was prepared',
  ],
  [
    /no route to host/i,
    'no route to the guest: it is not up, or macOS denies this program the local network ' +
      '(System Settings, Privacy & Security, Local Network; programs run by a launchd daemon are exempt)',
  ],
  [/permission denied \(/i, 'the guest refuses the key of its Mac'],
  [/not responding\./i, 'the guest no longer answers'],
];

/** Explains what ssh printed: returns a known reason or its last line, then the output. */
export function explainSsh(stderr: string): string {
  const last = stderr.trimEnd().split(/\r?\n/).at(-1) ?? '';
  const meaning = explanations.find(([text]) => text.test(stderr))?.[1] ?? last;
  return `${meaning}\n${stderr}`;
}
