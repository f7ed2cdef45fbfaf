// Deliveries of events: webhooks, notify_url, commit statuses.

import type { ApiKeys } from '../access/app/api-keys.js';
import type { Secrets } from '../builds/app/secrets.js';
import { createBuildEvents } from '../events/app/build-events.js';
import { createCommitStatuses } from '../events/app/commit-statuses.js';
import { createDeliveries } from '../events/app/deliveries.js';
import { createDeliveryAttempts } from '../events/app/delivery-attempts.js';
import { createWebhooks } from '../events/app/webhooks.js';
import { openStatusApi } from '../events/code-hosts/open.js';
import { createWebhookDeliveryRoutes } from '../events/http/api-webhook-deliveries.js';
import { createWebhookRoutes } from '../events/http/api-webhooks.js';
import { createBuildEventRoutes } from '../events/http/console-build-events.js';
import { shiftAttempts } from '../events/store/open-spans.js';
import { eventWorkers } from '../events/workers/table.js';
import { createDeliveryGauges } from '../start/app/delivery-gauges.js';
import type { Platform } from './platform.js';

export function composeEvents(
  platform: Platform,
  { secrets, apiKeys }: { readonly secrets: Secrets; readonly apiKeys: Pick<ApiKeys, 'find'> },
) {
  const { config, limits, realClock: clock, ports } = platform;
  const { statusApi, codeHosts } = config;
  const codeHost =
    ports.codeHost ?? (statusApi && openStatusApi(statusApi, { timeoutMs: limits.commit_status_timeout_ms, clock }));
  const commitStatuses = createCommitStatuses({ ...platform, codeHosts, codeHost, secrets });
  const attempts = createDeliveryAttempts(platform);
  const webhooks = createWebhooks(platform);
  const deliveries = createDeliveries(platform);
  return {
    webhooks,
    deliveries,
    commitStatuses,
    apiRoutes: [...createWebhookRoutes({ webhooks, limits }), ...createWebhookDeliveryRoutes({ deliveries, limits })],
    consoleRoutes: createBuildEventRoutes({ buildEvents: createBuildEvents({ ...platform, apiKeys }) }),
    workers: eventWorkers({
      ...platform,
      attempts,
      commitStatuses,
      wantCommitStatus: commitStatuses.want,
    }),
    gauges: createDeliveryGauges({ ...platform, attempts }),
    shiftSpans: shiftAttempts,
  };
}
