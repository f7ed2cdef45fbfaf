// Why a host cannot make a Mac: the codes, and the sentence of each. The console has the same table in Korean.

/** Known causes. Hosts may report others, which count as `failed`. */
export const macProblemCodes = [
  'disk_full',
  'not_writable',
  'image_not_found',
  'unauthorized',
  'not_installed',
  'vm_tool_missing',
  'vm_tool_incompatible',
  'vm_tool_unresponsive',
  'vm_limit_leaked',
  'vm_no_address',
  'keychain_locked',
  'beyond_slots',
  'failed',
] as const;
export type MacProblemCode = (typeof macProblemCodes)[number];

export const macProblemTexts: Readonly<Record<MacProblemCode, string>> = {
  disk_full: 'The disk of its host is full.',
  not_writable: 'Its host cannot write to its own folder.',
  image_not_found: 'The image that it is made from is not in the registry.',
  unauthorized: 'The registry of the image that it is made from refuses its host.',
  not_installed: 'Its image or its host lacks what it needs.',
  vm_tool_missing: 'The program for virtual machines is missing on its host.',
  vm_tool_incompatible: 'The program for virtual machines on its host has a version that is not supported.',
  vm_tool_unresponsive: 'The program for virtual machines on its host does not answer.',
  vm_limit_leaked: 'macOS refuses to start another virtual machine on its host.',
  vm_no_address: 'Its virtual machine gets no address on its host.',
  keychain_locked: 'The keychain of its host is locked.',
  beyond_slots: 'Its host is configured for fewer Macs.',
  failed: 'Its host could not make it.',
};

const isCode = (code: string): code is MacProblemCode =>
  (macProblemCodes as readonly string[]).includes(code);

export const macProblemCode = (code: string | null | undefined): MacProblemCode =>
  code != null && isCode(code) ? code : 'failed';
