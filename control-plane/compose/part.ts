// What a capability adds to the service besides its use cases.
import type { ShiftSpans } from '../platform/app/clock-steps.js';
import type { Gauge, GaugeGroup } from '../platform/app/gauge.js';
import type { DegradationSource } from '../platform/domain/degradation.js';
import type { AnyRoute } from '../platform/http/route.js';
import type { Worker } from '../platform/workers/worker.js';

export interface Part {
  /** Routes of the API. */
  readonly apiRoutes?: readonly AnyRoute[];
  /** Routes of the console's API. */
  readonly consoleRoutes?: readonly AnyRoute[];
  /** Routes of the operator API. */
  readonly operatorRoutes?: readonly AnyRoute[];
  readonly workers?: readonly Worker[];
  /** Workers that follow real time, independent of the test clock. */
  readonly realTimeWorkers?: readonly Worker[];
  readonly gauges?: readonly (Gauge | GaugeGroup)[];
  readonly degradations?: readonly DegradationSource[];
  /** Keeps spans of time whole when the service's clock steps. */
  readonly shiftSpans?: ShiftSpans;
  /** Waits for pending work and closes resources. Called once, after the last request and worker. */
  close?(): Promise<void>;
}
