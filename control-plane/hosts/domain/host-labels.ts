// Labels of hosts: keys and values that operators choose, to select hosts by.
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { fieldError } from '../../platform/domain/field-error.js';

export type Labels = Readonly<Record<string, string>>;

/** A key or a value of a label. */
export const LABEL = /^[a-z0-9](?:[a-z0-9._/-]{0,61}[a-z0-9])?$/;
export const MOST_LABELS = 20;

/** Returns whether `labels` has all of `wanted`. */
export function hasLabels(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

/**
 * Returns the labels with the changes; null removes a label. The keys of the result are sorted.
 *
 * @throws ApiError invalid_request
 * @example changedLabels({ rack: '3' }, { rack: null, 'xcode-beta': 'yes' }) // { 'xcode-beta': 'yes' }
 */
export function changedLabels(labels: Labels, changes: Readonly<Record<string, string | null>>): Labels {
  const merged = Object.entries({ ...labels, ...changes });
  const kept = merged.filter((entry): entry is [string, string] => entry[1] !== null);
  for (const [key, value] of kept) {
    const bad = [key, value].find((text) => !LABEL.test(text));
    if (bad !== undefined) {
      throw fieldError('invalid_request', 'labels', fieldProblem('invalid_labels'), {
        message: `"${bad}" cannot be part of a label: 1 to 63 of a-z, 0-9, ".", "_", "/" and "-", beginning and ending with a letter or digit.`,
      });
    }
  }
  if (kept.length > MOST_LABELS) {
    throw fieldError('invalid_request', 'labels', fieldProblem('too_many', { most: MOST_LABELS }));
  }
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @example labelsText({ rack: '3' }) // 'rack=3' */
export const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
