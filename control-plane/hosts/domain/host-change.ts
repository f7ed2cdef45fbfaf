// What an operator's command changed on a host.
import type { Message } from '../../../shared/messages/message.js';
import type { Host } from './host.js';
import { labelsText } from './host-labels.js';

export interface HostChange {
  /** As it is now. */
  readonly host: Host;
  /** Empty: nothing had to change, or the host was left out. */
  readonly changes: readonly FieldChange[];
  /** Why the host was left out of a command for many hosts; null: it was not. */
  readonly leftOut: Message | null;
}

export interface FieldChange {
  readonly field: string;
  /** Null: none. */
  readonly from: string | null;
  readonly to: string | null;
}

/** What operators set. */
type Settings = Pick<Host, 'status' | 'reason' | 'tier' | 'shared' | 'labels' | 'moveTo' | 'credentialConflict'> & {
  readonly slots?: number;
};

const texts: Readonly<Record<string, (host: Settings) => string | null>> = {
  status: ({ status }) => status,
  reason: ({ reason }) => reason,
  tier: ({ tier }) => tier,
  slots: ({ slots }) => (slots ? String(slots) : null),
  shared: ({ shared }) => String(shared),
  labels: ({ labels }) => labelsText(labels) || null,
  'credential conflict': ({ credentialConflict }) => credentialConflict?.addresses.join(' and ') ?? null,
  'moves to': ({ moveTo }) => moveTo,
};

export function differences(before: Settings, after: Settings): FieldChange[] {
  return Object.entries(texts)
    .map(([field, text]) => ({ field, from: text(before), to: text(after) }))
    .filter(({ from, to }) => from !== to);
}
