// What commands that change hosts print about each.
import type { ChangedHosts } from '../../../../client/types.js';
import { table } from '../../command.js';

/** Says what was changed, host by host. */
export const changedText = ({ hosts }: ChangedHosts): string =>
  table(hosts.map((one) => [one.name, one.host_id, changeText(one)]));

/** @example 'status draining (was active), reason bad fan' */
function changeText({ status, changes, left_out: leftOut }: ChangedHosts['hosts'][number]): string {
  if (leftOut !== null) return `left out: ${leftOut}`;
  if (changes.length === 0) return `no change: is ${status} already`;
  const was = (from: string | null) => (from === null ? '' : ` (was ${from})`);
  return changes.map(({ field, from, to }) => `${field} ${to ?? 'none'}${was(from)}`).join(', ');
}
