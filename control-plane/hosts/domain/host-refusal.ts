// The error of a change that hosts do not allow.
import type { Message } from '../../../shared/messages/message.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Host } from './host.js';

/** @example 'mac-1 (host_1)' */
export const hostLabel = ({ name, hostId }: Pick<Host, 'name' | 'hostId'>): string => `${name} (${hostId})`;

/** Returns the error for a change of one host, or one that is not about single hosts. */
export const refusedChange = (refusal: Message): ApiError =>
  new ApiError('host_state', { message: refusal.text, detail: { refusals: [{ subject: null, ...refusal }] } });

/**
 * Returns the error for a change of several hosts, with the reason of each that cannot change.
 *
 * @param refusals in the order of the hosts; null: the host could change
 */
export function refusedChanges(hosts: readonly Host[], refusals: readonly (Message | null)[]): ApiError {
  const refused = hosts.flatMap((host, i) => {
    const refusal = refusals[i];
    return refusal ? [{ subject: hosts.length === 1 ? null : hostLabel(host), ...refusal }] : [];
  });
  const message = refused.map(({ subject, text }) => (subject === null ? text : `${subject}: ${text}`)).join(' ');
  return new ApiError('host_state', { message, detail: { refusals: refused } });
}
