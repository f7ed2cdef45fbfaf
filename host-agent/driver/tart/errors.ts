// Classifies the errors of tart. Its exit codes are ambiguous (2 is "missing", "not running" and "already running"), so
// the text decides.
import type { VmToolCode } from '../vm/tool.js';
import { toolErrors } from '../vm/tool-command.js';

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

/** Lines that tart prints whether or not the command succeeds. */
const NOTES = /^(?:Failed to perform garbage collection: .*|waiting for lock\.\.\.)$/gm;

const withoutNotes = (text: string) => text.replace(NOTES, '').trim();

/** @example tartError('stop', { code: 2, stdout: '', stderr: 'VM "a" is not running' }).code // 'not_running' */
export const tartError = toolErrors({
  kind: 'tart',
  texts: TEXTS,
  said: ({ stdout, stderr }) => withoutNotes(stderr) || withoutNotes(stdout),
});
