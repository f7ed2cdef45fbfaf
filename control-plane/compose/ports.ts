// External dependencies of the service. A test may replace each; the rest is created from the configuration.
import type { Clock } from '../../shared/clock.js';
import type { PasswordCost } from '../access/app/passwords.js';
import type { BuildLogs } from '../builds/logs/build-logs.js';
import type { CodeHostStatuses } from '../events/code-hosts/code-host.js';
import type { PaymentProviders } from '../payments/providers/providers.js';
import type { Contents } from '../platform/blobs/contents.js';
import type { DiskRoom } from '../platform/blobs/disk-room.js';
import type { ObjectStore } from '../platform/blobs/object-store.js';
import type { SendMail } from '../platform/outbound/mail.js';
import type { PublicFetch } from '../platform/outbound/public-fetch.js';

export interface Ports {
  /** Real time, independent of the test clock: networks, long polls, other processes. */
  readonly realClock: Clock;
  /** How long runs of workers take, after which some rest. Default: the system's. */
  readonly workersClock: Clock;
  readonly contents: Contents;
  /** Instead of the configured one. */
  readonly objects: ObjectStore;
  readonly diskRoom: DiskRoom;
  readonly logs: BuildLogs;
  /** Requests to customers' addresses. */
  readonly publicFetch: PublicFetch;
  readonly sendMail: SendMail;
  readonly paymentProviders: PaymentProviders;
  readonly codeHost: CodeHostStatuses;
  /** Of new password hashes. */
  readonly passwordCost: PasswordCost;
}
