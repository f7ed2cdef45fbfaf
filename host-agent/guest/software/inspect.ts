// Determines what an image offers by inspecting a guest created from it.
import { imageError } from '../../../shared/messages/image-errors.js';
import { SaidError } from '../../../shared/messages/said.js';
import type { ImageOffers } from '../../../shared/protocol/index.js';
import { callGuest } from '../call.js';
import { guestProgram } from '../program.js';
import { type GuestTransport, GuestUnreachableError } from '../transport.js';
import { readyNames } from './runtime-list.js';
import { listRuntimes } from './runtimes.js';
import { selectedDeveloperDir } from './selected.js';
import { type GuestShell, openShell, type SoftwareOptions } from './shell.js';
import { listTools } from './tools.js';
import { type GuestXcode, listXcodes, runsOn } from './xcodes.js';

export interface GuestInspection {
  /** Xcodes: each version once, oldest first; only those that run on this macOS. Runtimes: those that are ready. */
  readonly offers: ImageOffers;
  readonly xcodes: readonly GuestXcode[];
  /** Developer folder that xcode-select has selected; null: none. */
  readonly selected: string | null;
  readonly user: string;
  readonly home: string;
  /** The user's login shell. */
  readonly shell: string;
  readonly freeBytes: number;
}

/** No build can run in a guest of this image; a retry cannot help. */
export class UnusableImageError extends SaidError {
  override name = 'UnusableImageError';
}

/**
 * Reads what is installed in a guest. Changes nothing.
 *
 * @throws UnusableImageError with the reason; errors of callGuest
 * @example (await inspectGuest(transport)).offers.xcodes // [{ version: '26.1', build: '17B55' }]
 */
export async function inspectGuest(transport: GuestTransport, options: SoftwareOptions = {}): Promise<GuestInspection> {
  const shell = openShell(transport, options);
  const session = await readSession(shell);
  const macos = await macosVersion(shell);
  if ((await shell.run(['sudo', '-n', 'true'])).status !== 0) {
    throw new UnusableImageError(imageError('no_sudo', { user: session.user }));
  }
  const { limits, signal } = shell;
  const xcodes = await listXcodes(transport, { timeoutMs: limits.commandMs, signal });
  const selected = await selectedDeveloperDir(shell);
  const [runtimes, tools, freeBytes] = await Promise.all([
    selected === null ? [] : listRuntimes(shell),
    listTools(shell),
    freeBytesOf(shell),
  ]);
  const offers: ImageOffers = { macos, xcodes: offered(xcodes, macos), runtimes: readyNames(runtimes), tools };
  return { offers, xcodes, selected, ...session, freeBytes };
}

/** Of several builds of a version only the first can be selected. */
function offered(xcodes: readonly GuestXcode[], macos: string): ImageOffers['xcodes'] {
  const versions = new Map<string, ImageOffers['xcodes'][number]>();
  for (const xcode of xcodes) {
    const { version, build } = xcode;
    if (!versions.has(version) && runsOn(xcode, macos)) versions.set(version, { version, build });
  }
  return [...versions.values()];
}

const LEAST_PERL = [5, 18] as const;

async function readSession(shell: GuestShell) {
  const { transport, limits, signal, clock } = shell;
  let answer: Buffer;
  try {
    answer = await callGuest(transport, guestProgram('frames.pl', 'session.pl'), [], {
      timeoutMs: limits.commandMs,
      signal,
      clock,
    });
  } catch (error) {
    if (error instanceof GuestUnreachableError && (await lacksPerl(shell))) {
      throw new UnusableImageError(imageError('no_perl'), {
        cause: error,
      });
    }
    throw error;
  }
  const [uid, user = '', home = '', login = '', homeVariable, perl = ''] = answer.toString('utf8').split('\0');
  const [major = 0, minor = 0] = perl.split('.').map(Number);
  if (major < LEAST_PERL[0] || (major === LEAST_PERL[0] && minor < LEAST_PERL[1])) {
    throw new UnusableImageError(imageError('perl_too_old', { version: LEAST_PERL.join('.') }));
  }
  if (uid === '0') throw new UnusableImageError(imageError('user_is_root'));
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(user) || !isFolder(home) || home !== homeVariable) {
    throw new UnusableImageError(imageError('user_without_home'));
  }
  return { user, home, shell: isFolder(login) ? login : '/bin/zsh' };
}

const isFolder = (path: string) => /^\/[^\p{C}]{1,200}$/u.test(path);

/** Asks without Perl: a shell that prints a word shows that commands can be run in the guest. */
async function lacksPerl({ transport, clock, limits }: GuestShell): Promise<boolean> {
  const question = 'test -x /usr/bin/perl || echo cidermill-no-perl';
  const connection = transport.open(['/bin/sh', '-c', question]);
  const timer = clock.setTimeout(() => connection.destroy(), limits.commandMs);
  let answer = '';
  connection.stdin.end();
  try {
    for await (const bytes of connection.stdout) {
      answer += bytes;
      if (answer.length > 10_000) break;
    }
  } catch {
    // The guest is unreachable, which the first error says.
  } finally {
    timer.cancel();
    connection.destroy();
  }
  return answer.includes('cidermill-no-perl');
}

async function macosVersion(shell: GuestShell): Promise<string> {
  const { status, stdout } = await shell.run(['sw_vers', '-productVersion']);
  const version = stdout.trim();
  if (status !== 0 || !/^\d{1,3}(\.\d{1,3}){0,2}$/.test(version)) {
    throw new UnusableImageError(imageError('no_macos'));
  }
  return version;
}

async function freeBytesOf(shell: GuestShell): Promise<number> {
  const { stdout } = await shell.must('the free disk space is unknown', ['df', '-k', '-P', '/']);
  // The columns from the right: mount point, capacity, available.
  const blocks = Number(stdout.trimEnd().split('\n').at(-1)?.split(/\s+/).at(-3));
  if (!Number.isSafeInteger(blocks) || blocks < 0) throw new Error('the free disk space is unknown');
  return blocks * 1024;
}
