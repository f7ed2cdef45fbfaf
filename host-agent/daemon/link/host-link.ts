// The link side of the daemon: the connection, and everything that is sent over it.
import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { AgentMessage, BuildResult, ControlMessage, ImageFact, MacFact } from '../../../shared/protocol/index.js';
import type { AttemptRef } from '../../contract/attempt-folder.js';
import type { LinkLimits } from '../../limits.js';
import type { LinkAddress } from '../../system/request.js';
import type { BuildSupervisor } from '../supervisor.js';
import { createArtifactUpload } from './artifact-upload.js';
import { createLinkClient, type LinkClient, type LinkState } from './client.js';
import type { Hello } from './connection.js';
import { createDeliveries, type Deliveries } from './deliveries.js';
import { createOutputPump, type OutputPump } from './output-pump.js';
import { createReports, type Reports } from './reports.js';

export interface HostLink {
  readonly client: LinkClient;
  readonly pump: OutputPump;
  readonly deliveries: Deliveries;
  readonly reports: Reports;
  /** Starts delivering an ended build: the rest of its log, its artifacts, its result. */
  deliver(ref: AttemptRef, result: BuildResult): void;
  send(message: AgentMessage): boolean;
}

/** @param deps.guarded wraps a handler so that its errors are logged, with this description, and go no further */
export function createHostLink(deps: {
  address: () => LinkAddress;
  builds: BuildSupervisor;
  macFacts: () => Promise<MacFact[]>;
  imageFacts: () => Promise<ImageFact[]>;
  hello: () => Promise<Hello>;
  /** The control plane has accepted this agent. */
  onUp: () => void;
  /** @param whole nothing was left out of its lists */
  onDesire: (desire: Extract<ControlMessage, { type: 'desire' }>, whole: boolean) => void;
  /** The control plane no longer knows this host. */
  onRefused: () => void;
  onState: (state: LinkState, reason: string | null) => void;
  /** A build has been deleted from this host. */
  onGone: (ref: AttemptRef) => void;
  guarded: <A extends unknown[]>(what: string, fn: (...args: A) => void) => (...args: A) => void;
  clock: Clock;
  limits: () => LinkLimits;
  log: Log;
}): HostLink {
  const { address, builds, macFacts, imageFacts, hello, guarded, clock, limits, log } = deps;
  const shared = { builds, clock, limits, log };

  const onUp = (sent: Hello) => {
    pump.connected(sent.builds);
    reports.up(sent);
    deliveries.advance();
    deps.onUp();
  };
  const onMessage = (message: ControlMessage, whole: boolean) => {
    switch (message.type) {
      case 'desire':
        return deps.onDesire(message, whole);
      case 'output_ack':
        pump.acknowledged(message, message.next_offset, message.resend);
        return deliveries.advance(message);
      case 'finished_ack':
        return deliveries.acknowledged(message, message.resend_from);
    }
  };

  const client = createLinkClient({
    address,
    hello,
    clock,
    limits,
    log,
    onUp: guarded('the connection', onUp),
    onDown: guarded('the end of the connection', () => pump.disconnected()),
    onRefused: guarded('the removal of this host', deps.onRefused),
    onMessage: guarded('a message', onMessage),
    onDrain: () => pump.step(),
    onState: guarded('the state of the connection', deps.onState),
  });
  const pump = createOutputPump({
    ...shared,
    send: client.sendOutput,
    waiting: client.waiting,
    missing: (ref) => deliveries.logLost(ref),
  });
  const deliveries = createDeliveries({
    ...shared,
    pump,
    upload: createArtifactUpload({ address, clock, limits, log }),
    send: client.send,
    gone(ref) {
      reports.gone(ref);
      deps.onGone(ref);
    },
  });
  const reports = createReports({ ...shared, macFacts, imageFacts, send: client.send });

  return {
    client,
    pump,
    deliveries,
    reports,
    send: client.send,
    deliver(ref, result) {
      // Until its files are deleted the build counts as present, and its log would be sent again.
      if (deliveries.isEnding(ref)) return;
      pump.grew(ref, result.log.bytes);
      deliveries.deliver(ref, result);
    },
  };
}
