// What operators read about a credential that somebody else seems to use.
import type { Message } from '../../../shared/messages/message.js';
import { operatorProblem } from '../../../shared/messages/operator-problems.js';
import type { CredentialConflict } from './host.js';

/** The address of a connection that was not recorded. */
export const UNKNOWN_ADDRESS = 'an unknown address';

/**
 * @param at when it was
 *
 * @example conflictReason(conflict, '3m ago').text // 'another machine used its credential (3m ago), from 192.0.2.7 (before: 192.0.2.1)'
 */
export function conflictReason({ how = 'two_agents', addresses }: CredentialConflict, at: string): Message {
  if (how === 'two_agents') return operatorProblem('two_agents', { at, addresses: addresses.join(', ') });
  const [before = UNKNOWN_ADDRESS, now = UNKNOWN_ADDRESS] = addresses;
  if (before === UNKNOWN_ADDRESS) return operatorProblem('other_machine_from', { at, now });
  return operatorProblem('other_machine', { at, now, before });
}
