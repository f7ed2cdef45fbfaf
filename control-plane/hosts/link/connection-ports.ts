// Dependencies of a host connection: use cases, clocks, limits.
import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { SparseLog } from '../../../shared/sparse-log.js';
import type { AuditSink } from '../../platform/app/audit-sink.js';
import type { Turns } from '../../platform/app/turns.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Hosts } from '../app/hosts.js';
import type { LinkBuilds, LinkMacs } from '../app/link-ports.js';
import type { LargeInput } from './large-input.js';

/** Above `link_pending_bytes` (received, not yet stored) the socket is paused, so that TCP slows the host down. */
export type LinkLimits = Pick<
  Limits,
  | 'heartbeat_ms'
  | 'link_hello_ms'
  | 'link_goodbye_ms'
  | 'link_renew_ms'
  | 'link_message_bytes'
  | 'link_pending_bytes'
  | 'link_pending_messages'
  | 'link_append_bytes'
  | 'link_builds'
  | 'link_connections'
>;

export interface ConnectionDeps {
  /** The IP address that the host has connected from. */
  readonly address: string;
  /** About records of hosts that are not valid. */
  readonly refusals: SparseLog;
  hosts: Pick<
    Hosts,
    | 'connect'
    | 'report'
    | 'machineReported'
    | 'addressReported'
    | 'wantedAddress'
    | 'upgradeReported'
    | 'wantedAgent'
    | 'standing'
    | 'renew'
    | 'disconnect'
    | 'during'
  >;
  audit: Pick<AuditSink, 'failed'>;
  builds: LinkBuilds;
  macs: LinkMacs;
  /** The service's clock, for times sent to the host. */
  clock: Clock;
  /** Real time, for network timeouts. */
  realClock: Clock;
  limits: LinkLimits;
  input: Pick<LargeInput, 'message'>;
  turns: Pick<Turns, 'next'>;
  log: Log;
}
