// Property lists in XML, as launchd reads them.

export type PlistValue = string | number | boolean | readonly string[] | { readonly [key: string]: PlistValue };

/** A key with its value, and a comment above it. */
export interface PlistEntry {
  readonly key: string;
  readonly value: PlistValue;
  readonly comment?: string;
}

/**
 * Returns a property list.
 *
 * @throws RangeError for text that XML cannot hold (control characters)
 * @example propertyList('A job.', [{ key: 'Label', value: 'com.example' }])
 */
export function propertyList(comment: string, entries: readonly PlistEntry[]): string {
  const lines = entries.flatMap((entry) => [
    ...(entry.comment === undefined ? [] : [`  <!-- ${entry.comment} -->`]),
    `  <key>${escaped(entry.key)}</key>`,
    ...valueLines(entry.value).map((line) => `  ${line}`),
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${comment} -->`,
    '<plist version="1.0">',
    '<dict>',
    ...lines,
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}

function valueLines(value: PlistValue): string[] {
  if (typeof value === 'string') return [`<string>${escaped(value)}</string>`];
  if (typeof value === 'number') return [`<integer>${Math.trunc(value)}</integer>`];
  if (typeof value === 'boolean') return [value ? '<true/>' : '<false/>'];
  const isArray = (list: typeof value): list is readonly string[] => Array.isArray(list);
  if (isArray(value)) return ['<array>', ...value.flatMap(valueLines).map((line) => `  ${line}`), '</array>'];
  const inner = Object.entries(value).flatMap(([key, one]) => [`<key>${escaped(key)}</key>`, ...valueLines(one)]);
  return ['<dict>', ...inner.map((line) => `  ${line}`), '</dict>'];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escaped(text: string): string {
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u.test(text)) {
    throw new RangeError(`${JSON.stringify(text)} cannot be written into a property list`);
  }
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
