// What a capability adds to the service, beside its use cases.
import type { Census } from '../platform/app/census.js';
import type { DegradationSource } from '../platform/domain/degradation.js';
import type { AnyRoute } from '../platform/http/route.js';
import type { Worker } from '../platform/workers/worker.js';

export interface Part {
  /** Family A. */
  readonly agentRoutes?: readonly AnyRoute[];
  /** Family B. */
  readonly runnerRoutes?: readonly AnyRoute[];
  readonly workers?: readonly Worker[];
  /** Workers that follow real time, however fast the test clock moves. */
  readonly realTimeWorkers?: readonly Worker[];
  readonly gauges?: readonly Census[];
  readonly degradations?: readonly DegradationSource[];
  /** Waits for what is under way and frees what is open; called once, when no request and no worker runs any more. */
  close?(): Promise<void>;
}
