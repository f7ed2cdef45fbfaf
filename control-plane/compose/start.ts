// Reads across all capabilities: the start documents, the status, and metrics for the operator.

import { createEventStreams } from '../platform/http/event-stream.js';
import type { Availability } from '../renting/app/availability.js';
import type { Catalog } from '../renting/app/catalog.js';
import { createGauges } from '../start/app/gauges.js';
import { createLive } from '../start/app/live.js';
import type { NounsOfAction } from '../start/app/live-nouns.js';
import { createLocate } from '../start/app/locate.js';
import { createStart } from '../start/app/start.js';
import { createStatus } from '../start/app/status.js';
import { secretDegradations } from '../start/app/unreadable-secrets.js';
import { createRetiredRoutes } from '../start/http/api-retired.js';
import { createStartRoutes } from '../start/http/api-start.js';
import { createStatusRoutes } from '../start/http/api-status.js';
import { createLiveRoutes } from '../start/http/console-live.js';
import { createLocateRoutes } from '../start/http/console-locate.js';
import { createOperatorLiveRoutes } from '../start/http/operator-live.js';
import type { Platform } from './platform.js';

export function composeStart(
  platform: Platform,
  below: {
    readonly catalog: Catalog;
    readonly availability: Availability;
    readonly nounsOfAction: NounsOfAction;
  },
) {
  const live = createLive({ ...platform, ...below });
  const eventStreams = createEventStreams(platform.realClock, platform.limits.event_stream_beat_ms);
  return {
    live,
    eventStreams,
    apiRoutes: [
      ...createStartRoutes({ ...platform, start: createStart({ ...platform, ...below }) }),
      ...createStatusRoutes({ ...platform, status: createStatus({ ...platform, ...below }) }),
      ...createRetiredRoutes(),
    ],
    consoleRoutes: [
      ...createLocateRoutes({ locate: createLocate(platform) }),
      ...createLiveRoutes({ live, eventStreams }),
    ],
    operatorRoutes: createOperatorLiveRoutes({ live, eventStreams }),
    gauges: createGauges(platform),
    degradations: [() => secretDegradations(platform)],
    async close() {
      live.close();
      eventStreams.close();
    },
  };
}
