// Build secrets: environment variables of every build of the account.
import { ApiError } from '../../platform/domain/error-catalog.js';
import { bytes, int, type RecordOf, text } from '../../platform/domain/fields.js';
import type { Limits } from '../../platform/domain/limits.js';

/** A stored secret, sealed. Times in ms since the epoch. */
export const secretFields = {
  accountId: int(),
  name: text(),
  keyId: text(),
  nonce: bytes(),
  ciphertext: bytes(),
  createdAt: int(),
  updatedAt: int(),
};
export type SealedSecret = RecordOf<typeof secretFields>;

/** The fields of a secret that may be shown. */
export type SecretName = Pick<SealedSecret, 'name' | 'createdAt' | 'updatedAt'>;

/** A list entry, with whether the service can still decrypt it. */
export interface ListedSecret extends SecretName {
  /** False if its encryption key is lost or it is damaged. Builds fail until it is set again or removed. */
  readonly readable: boolean;
  /** False: too short to be masked in logs, or blank. Null: unknown, because it cannot be read. */
  readonly masked: boolean | null;
}

/** Returns the size of a secret in a process's environment: `NAME=value` and a NUL, in bytes. */
export const environmentBytes = (name: string, valueBytes: number): number => name.length + valueBytes + 2;

const NAME = /^[A-Z_][A-Z0-9_]{0,127}$/;
// Variables of the build's environment; a secret of that name would break the build or be overwritten.
const RESERVED = new Set([
  ...['PATH', 'HOME', 'SHELL', 'USER', 'LOGNAME', 'PWD', 'TMPDIR', 'TERM', 'LANG', 'CI', 'DEVELOPER_DIR'],
  ...['BASH_ENV', 'ENV', 'IFS', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'DYLD_INSERT_LIBRARIES'],
]);
// Shells set these themselves, refuse to have them set, or read a number or their own options from them.
const OF_SHELLS = new Set([
  ...[
    '_',
    'UID',
    'EUID',
    'GID',
    'EGID',
    'PPID',
    'SHLVL',
    'OLDPWD',
    'SHELLOPTS',
    'GROUPS',
    'RANDOM',
    'SRANDOM',
  ],
  ...['SECONDS', 'LINENO', 'HISTCMD', 'DIRSTACK', 'PIPESTATUS', 'FUNCNAME', 'OPTIND', 'OPTERR', 'OPTARG'],
  ...['EPOCHSECONDS', 'EPOCHREALTIME', 'COMP_WORDBREAKS', 'PS1', 'PS2', 'PS4'],
]);

/** Shorter values would match unrelated output; a run of blanks counts as one byte. */
export const SHORTEST_MASKED_BYTES = 3;

/** Throws invalid_secret_name. */
export function checkSecretName(name: string): void {
  if (!NAME.test(name)) throw new ApiError('invalid_secret_name');
  if (RESERVED.has(name) || name.startsWith('CIDERMILL_') || name.startsWith('DYLD_')) {
    throw new ApiError('invalid_secret_name', { message: `${name} is a variable of the build itself.` });
  }
  if (OF_SHELLS.has(name) || /^BASH(_|OPTS$|PID$|$)/.test(name)) {
    throw new ApiError('invalid_secret_name', {
      message: `${name} is a variable that shells manage themselves, so a build would not see the secret. Choose another name.`,
    });
  }
}

/** Throws invalid_secret_value, whose message never quotes the value. */
export function checkSecretValue(value: string, limits: Pick<Limits, 'secret_bytes'>): void {
  const bytes = Buffer.byteLength(value);
  // A lone surrogate has no UTF-8 form, so the build would get a different value.
  if (bytes < 1 || bytes > limits.secret_bytes || value.includes('\0') || /\p{Surrogate}/u.test(value)) {
    throw new ApiError('invalid_secret_value', {
      message: `The value must be 1 to ${limits.secret_bytes} bytes of UTF-8 without NUL.`,
      detail: { fields: [{ path: 'value', message: 'not a value that an environment variable can hold' }] },
    });
  }
}

/** Returns whether hosts mask the value. A value of blanks only would mask all indentation. */
export function isMasked(value: string): boolean {
  const trimmed = value.replace(/^[\t-\r ]+|[\t-\r ]+$/g, '');
  if (trimmed === '') return false;
  const searched = Buffer.byteLength(trimmed) < SHORTEST_MASKED_BYTES ? value : trimmed;
  return Buffer.byteLength(searched.replace(/[\t-\r ]+/g, ' ')) >= SHORTEST_MASKED_BYTES;
}
