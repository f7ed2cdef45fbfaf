// Classifies the errors of lume. It exits with 1 for everything but a wrong command line. Depending on the kind of
// error it prints a sentence or the name of the case, such as `notFound("a")`.
import type { VmToolCode } from '../vm/tool.js';
import { toolErrors } from '../vm/tool-command.js';

/** The first pattern that matches decides. */
const TEXTS: readonly (readonly [RegExp, VmToolCode])[] = [
  [/\bnot(?:Found|Initialized)\("|Virtual machine not (?:found|initialized)\b/, 'not_found'],
  [/\bnotRunning\("|Virtual machine not running\b/, 'not_running'],
  [/\balreadyRunning\("|Virtual machine already running\b|: the VM is running\./, 'already_running'],
  [/\b(?:directoryA|a)lreadyExists\(|already exists\b/, 'exists'],
  [
    /maximum supported number of active virtual machines|number of virtual machines exceeds the limit|VZErrorDomain Code=6\b/,
    'limit_reached',
  ],
  [/SecKeyCreateRandomKey|errSecInteractionNotAllowed|Code=-25308|\bkeychain\b/i, 'keychain_locked'],
  // The only message when the login keychain is locked: then guests of macOS 15 or later do not start.
  [/VZErrorDomain Code=1\b|Internal Virtualization error\. The virtual machine failed to start/, 'keychain_locked'],
  [
    /No space left on device|NSPOSIXErrorDomain Code=28\b|NSCocoaErrorDomain Code=640\b|\binsufficientHostSpace\(|Not enough host free space|is out of space/,
    'disk_full',
  ],
  // Also the answer to wrong credentials: lume does not tell them apart.
  [/\bmanifestFetchFailed\b|Failed to fetch image manifest/, 'image_not_found'],
  [/\bauthenticationFailed\b|\binsufficientPermissions\(/, 'unauthorized'],
];

/** @example lumeError('stop', { code: 1, stdout: '', stderr: 'Error: notRunning("a")' }).code // 'not_running' */
export const lumeError = toolErrors({
  kind: 'lume',
  texts: TEXTS,
  said: ({ stdout, stderr }) => `${stderr.trim()}\n${stdout.trim()}`.trim(),
  // The error itself comes after the lines of lume's log.
  isError: (line) => line.startsWith('Error: '),
});
