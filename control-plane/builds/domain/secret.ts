// Build secrets: environment variables and files of every build of the account.

import { isUtf8 } from 'node:buffer';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Message } from '../../../shared/messages/message.js';
import { errorCatalog } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
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
  /** Null: unknown, because it cannot be read. */
  readonly kind: SecretKind | null;
}

/** A secret that was just stored. */
export interface StoredSecret extends SecretName {
  readonly masked: boolean;
  readonly kind: SecretKind;
}

/** Returns the size of a secret in a process's environment: `NAME=value` and a NUL, in bytes. */
export const environmentBytes = (name: string, valueBytes: number): number => name.length + valueBytes + 2;

const NAME = /^[A-Z_][A-Z0-9_]{0,127}$/;
// Variables of the build's environment; a secret of that name would break the build or be overwritten.
const RESERVED = new Set([
  'PATH',
  'HOME',
  'SHELL',
  'USER',
  'LOGNAME',
  'PWD',
  'TMPDIR',
  'TERM',
  'LANG',
  'CI',
  'DEVELOPER_DIR',
  'BASH_ENV',
  'ENV',
  'IFS',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'DYLD_INSERT_LIBRARIES',
]);
// Shells set these themselves, refuse to have them set, or read a number or their own options from them.
const OF_SHELLS = new Set([
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
  'SECONDS',
  'LINENO',
  'HISTCMD',
  'DIRSTACK',
  'PIPESTATUS',
  'FUNCNAME',
  'FUNCNEST',
  'OPTIND',
  'OPTERR',
  'OPTARG',
  'EPOCHSECONDS',
  'EPOCHREALTIME',
  'COMP_WORDBREAKS',
  'PS1',
  'PS2',
  'PS4',
  'COLUMNS',
  'LINES',
]);

/** Shorter values would match unrelated output; a run of blanks counts as one byte. */
export const SHORTEST_MASKED_BYTES = 3;

/** Throws invalid_secret_name. */
export function checkSecretName(name: string): void {
  const refuse = (problem: Message, message?: string) =>
    fieldError('invalid_secret_name', 'name', problem, {
      message: message ?? errorCatalog.invalid_secret_name.message,
    });
  if (!NAME.test(name)) throw refuse(fieldProblem('invalid_secret_name'));
  if (RESERVED.has(name) || name.startsWith('CIDERMILL_') || name.startsWith('DYLD_')) {
    throw refuse(
      fieldProblem('variable_of_builds', { name }),
      `${name} is reserved: builds use this variable themselves.`,
    );
  }
  if (OF_SHELLS.has(name) || /^BASH(_|OPTS$|PID$|$)/.test(name)) {
    throw refuse(
      fieldProblem('variable_of_shells', { name }),
      `${name} is a variable that shells manage themselves, so a build would not see the secret. Choose another name.`,
    );
  }
}

/** How a build gets a secret: as the value of a variable, or as a file whose path the variable has. */
export const SECRET_KINDS = ['variable', 'file'] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

/** What no environment variable can hold is a file. */
export const kindOf = (value: Buffer): SecretKind => (value.includes(0) || !isUtf8(value) ? 'file' : 'variable');

/** Secrets that the service and its hosts read themselves, besides builds: tokens of code hosts. */
const TOKENS = new Set(['GIT_TOKEN', 'GITHUB_STATUS_TOKEN', 'GITLAB_STATUS_TOKEN']);

/** Throws invalid_secret_value for a token that is no text: programs would act as if it were not set. */
export function checkToken(name: string, value: Buffer): void {
  if (!TOKENS.has(name) || kindOf(value) === 'variable') return;
  throw fieldError('invalid_secret_value', 'value_base64', fieldProblem('nul_character'), {
    message: `${name} is a token that the service itself reads, so it must be text without NUL.`,
  });
}

/** A new value as it is sent: text, or bytes in base64. */
export interface SecretInput {
  readonly value?: string | undefined;
  readonly value_base64?: string | undefined;
}

/** Returns the bytes of a new value. Throws invalid_secret_value, whose message never quotes the value. */
export function secretValue(input: SecretInput, limits: Pick<Limits, 'secret_bytes'>): Buffer {
  const { value, value_base64: encoded } = input;
  const refuse = (path: string, message: string, problem: Message) =>
    fieldError('invalid_secret_value', path, problem, { message });
  if ((value === undefined) === (encoded === undefined)) {
    const problem = fieldProblem('exactly_one', { names: 'value, value_base64' });
    throw refuse('value', 'Give exactly one of value and value_base64.', problem);
  }
  const bytes = Buffer.from(value ?? encoded ?? '', value === undefined ? 'base64' : 'utf8');
  if (encoded !== undefined && bytes.toString('base64') !== encoded) {
    throw refuse(
      'value_base64',
      'value_base64 must be standard base64 with its padding.',
      fieldProblem('invalid_base64'),
    );
  }
  // A lone surrogate has no UTF-8 form, so the build would get a different value.
  if (value !== undefined && (value.includes('\0') || /\p{Surrogate}/u.test(value))) {
    const message = 'value must be text without NUL; send other bytes as value_base64.';
    throw refuse('value', message, fieldProblem('nul_character'));
  }
  if (bytes.length < 1 || bytes.length > limits.secret_bytes) {
    const path = value === undefined ? 'value_base64' : 'value';
    const { secret_bytes: most } = limits;
    const problem = bytes.length < 1 ? fieldProblem('required') : fieldProblem('too_many_bytes', { most });
    throw refuse(path, `A value must have 1 to ${most} bytes.`, problem);
  }
  return bytes;
}

/** Returns whether hosts mask the value. A value of blanks only would mask all indentation. */
export function isMasked(value: Buffer): boolean {
  const text = value.toString('latin1');
  const trimmed = text.replace(/^[\t-\r ]+|[\t-\r ]+$/g, '');
  if (trimmed === '') return false;
  const searched = trimmed.length < SHORTEST_MASKED_BYTES ? text : trimmed;
  return searched.replace(/[\t-\r ]+/g, ' ').length >= SHORTEST_MASKED_BYTES;
}
