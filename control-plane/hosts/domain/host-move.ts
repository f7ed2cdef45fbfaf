// Moves of hosts to another address of the service.
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { hostRefusal } from '../../../shared/messages/host-refusals.js';
import { type Message, uncoded } from '../../../shared/messages/message.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Host } from './host.js';

type MovingHost = Pick<Host, 'linkAddress' | 'moveTo'>;

/**
 * Returns the root address that a text gives.
 *
 * @throws ApiError invalid_request
 * @example rootAddress('https://macs.example/') // 'https://macs.example'
 */
export function rootAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isRoot = url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (isRoot) return url.origin;
  throw fieldError('invalid_request', 'url', fieldProblem('invalid_address', { value: text }));
}

/** Returns why the host cannot move there, or null if it can, or is there already. */
export function moveRefusal(host: MovingHost & Pick<Host, 'status' | 'agentVersion'>, to: string): Message | null {
  if (host.status === 'removed') return hostRefusal('removed_cannot_move');
  if (host.agentVersion === null) return hostRefusal('never_connected');
  if (host.linkAddress === null) return hostRefusal('agent_cannot_move', { version: host.agentVersion });
  const { protocol, hostname } = new URL(to);
  const isPlain = protocol === 'http:' && !/^(127(\.\d+){3}|localhost|\[::1\])$/.test(hostname);
  return isPlain && host.linkAddress.site_url.startsWith('https:')
    ? hostRefusal('move_not_encrypted', { from: host.linkAddress.site_url })
    : null;
}

export interface Move {
  readonly to: string;
  /** What is in the way; null: nothing is known. */
  readonly error: Message | null;
}

/** Returns where the host is moving to, or null. */
export function moveOf({ linkAddress, moveTo }: MovingHost): Move | null {
  const to = moveTo ?? linkAddress?.move?.to ?? null;
  if (to === null) return null;
  const move = linkAddress?.move?.to === to ? linkAddress.move : null;
  const text = move?.error ?? null;
  return { to, error: text === null ? null : (move?.error_message ?? uncoded(text)) };
}
