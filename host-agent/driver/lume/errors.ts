// Classifies the errors of lume. It exits with 1 for everything but a wrong command line. Depending on the kind of
// error it prints a sentence or the name of the case, such as `notFound("a")`.
import { type VmToolCode, VmToolError } from '../vm/tool.js';

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

/** The code of an invalid command line. */
const USAGE = 64;
const LONGEST = 300;

/** @example lumeError('stop', { code: 1, stdout: '', stderr: 'Error: notRunning("a")' }).code // 'not_running' */
export function lumeError(
  command: string,
  { code, stdout, stderr }: { code: number; stdout: string; stderr: string },
): VmToolError {
  const said = `${stderr.trim()}\n${stdout.trim()}`.trim();
  const found = TEXTS.find(([pattern]) => pattern.test(said))?.[1];
  const kind = found ?? (code === USAGE ? 'incompatible' : 'failed');
  return new VmToolError(kind, `lume ${command}: ${firstLine(said) || `exit code ${code}`}`);
}

/** The error itself, which lume prints after the lines of its log. */
function firstLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const line = lines.find((one) => one.startsWith('Error: ')) ?? lines.find((one) => one !== '') ?? '';
  return line.slice(0, LONGEST);
}
