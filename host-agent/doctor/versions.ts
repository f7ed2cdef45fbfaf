/**
 * Returns the numbers of a version; null when the text has none.
 *
 * @example versionParts('15.7.1') // [15, 7, 1]
 */
export function versionParts(text: string): [number, number, number] | null {
  const [, major, minor = '0', patch = '0'] = /(\d{1,5})(?:\.(\d{1,5}))?(?:\.(\d{1,5}))?/.exec(text) ?? [];
  return major === undefined ? null : [Number(major), Number(minor), Number(patch)];
}

/** Compares the numbers of two versions; negative when `a` is older. Texts without numbers are equal to all. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [versionParts(a), versionParts(b)];
  if (one === null || other === null) return 0;
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}
