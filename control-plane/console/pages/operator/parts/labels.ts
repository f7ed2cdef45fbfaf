// Labels of hosts, as operators type them.

/**
 * Returns the labels in the text. One without a value is refused by the service, with the reason.
 *
 * @example labelsOf('rack=3 row=7') // { rack: '3', row: '7' }
 */
export const labelsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(/\s+/)
      .filter((one) => one !== '')
      .map((one) => {
        const [key = '', value = ''] = one.split(/=(.*)/s);
        return [key, value];
      }),
  );

/** @example labelsText({ rack: '3', row: '7' }) // 'rack=3 row=7' */
export const labelsText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');

/**
 * Returns the labels that are new or different, and null for each that is gone.
 *
 * @example labelChanges({ rack: '3', row: '7' }, 'rack=4') // { rack: '4', row: null }
 */
export function labelChanges(before: Readonly<Record<string, string>>, text: string): Record<string, string | null> {
  const wanted = labelsOf(text);
  const changed = Object.entries(wanted).filter(([key, value]) => before[key] !== value);
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(wanted, key));
  return { ...Object.fromEntries(changed), ...Object.fromEntries(gone.map((key) => [key, null])) };
}
