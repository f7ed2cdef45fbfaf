// Notices to operators about hosts and capacity.

import { createOperatorNotices } from '../operators/app/operator-notices.js';
import { shiftNotices } from '../operators/store/open-spans.js';
import { operatorWorkers } from '../operators/workers/table.js';
import { noAllowedReceivers } from '../platform/outbound/allowed-receivers.js';
import { createPublicFetch } from '../platform/outbound/public-fetch.js';
import { resolveBySystem } from '../platform/outbound/resolve-host.js';
import { createProblemGauge } from '../start/app/gauges.js';
import type { Platform } from './platform.js';

export function composeOperators(platform: Platform) {
  const { limits, config } = platform;
  const notices = createOperatorNotices(platform);
  // Without redirects, and with a bounded time, as every request to a receiver.
  const fetch = createPublicFetch({
    rules: { allowLoopback: true, allowed: noAllowedReceivers, unrestricted: true },
    resolve: resolveBySystem,
    timeoutMs: limits.webhook_timeout_ms,
    bodyBytes: limits.webhook_response_bytes,
  });
  return {
    notices,
    workers: operatorWorkers({ ...platform, notices, fetch, webhook: config.operatorNotices.webhook }),
    gauges: [createProblemGauge(notices)],
    shiftSpans: shiftNotices,
    close: () => fetch.close(),
  };
}
