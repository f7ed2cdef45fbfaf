// Classifies the errors of tart. Its exit codes are ambiguous (2 is "missing", "not running" and "already running"), so
// the text decides.
import { type VmToolCode, VmToolError } from '../vm/tool.js';

/** The first pattern that matches decides. */
const TEXTS: readonly (readonly [RegExp, VmToolCode])[] = [
  [/^(?:Error: )?the specified VM ".*" does not exist/m, 'not_found'],
  [/^(?:Error: )?VM ".*" is not running/m, 'not_running'],
  [/VM ".*" is (?:already )?running/, 'already_running'],
  [/exceeds the system limit/, 'limit_reached'],
  [/no IP address found/, 'no_address'],
  [/Failed to connect to the VM using its control socket|Failed to establish a VM socket/, 'unresponsive'],
  [/SecKeyCreateRandomKey|errSecInteractionNotAllowed|Code=-25308|\bkeychain\b/i, 'keychain_locked'],
  [/VZErrorDomain Code=1\b/, 'keychain_locked'],
  [
    /No space left on device|NSPOSIXErrorDomain Code=28\b|NSCocoaErrorDomain Code=640\b|not enough (?:disk |free )?space|is out of space/i,
    'disk_full',
  ],
  [/code: 404|manifest unknown|NAME_UNKNOWN|MANIFEST_UNKNOWN/i, 'image_not_found'],
  [/code: 40[13]\b|AuthFailed|unauthorized|invalid credentials/i, 'unauthorized'],
  [/already exists/, 'exists'],
];

/** The code of an invalid command line. */
const USAGE = 64;
const LONGEST = 300;

/**
 * Returns the error of a failed command.
 *
 * @example tartError('stop', { code: 2, stdout: '', stderr: 'VM "a" is not running' }).code // 'not_running'
 */
export function tartError(
  command: string,
  { code, stdout, stderr }: { code: number; stdout: string; stderr: string },
): VmToolError {
  const said = withoutNotes(stderr) || withoutNotes(stdout);
  const found = TEXTS.find(([pattern]) => pattern.test(said))?.[1];
  const kind = found ?? (code === USAGE ? 'incompatible' : 'failed');
  return new VmToolError(kind, `tart ${command}: ${firstLine(said) || `exit code ${code}`}`);
}

/** Lines that tart prints whether or not the command succeeds. */
const NOTES = /^(?:Failed to perform garbage collection: .*|waiting for lock\.\.\.)$/gm;

const withoutNotes = (text: string) => text.replace(NOTES, '').trim();

const firstLine = (text: string) =>
  (text.split('\n').find((line) => line.trim() !== '') ?? '').trim().slice(0, LONGEST);
