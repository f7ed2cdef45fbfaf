// Every route of family B, added by hand like those of family A.

import { paymentWebhookLevels, runnerLevels, withLevels } from '../../access/domain/levels.js';
import { type ApiKeyRoutesDeps, createApiKeyRoutes } from '../../access/http/runner-api-keys.js';
import { createFirstOwnerRoutes, type FirstOwnerRoutesDeps } from '../../access/http/runner-first-owner.js';
import { createLeakedKeyRoutes, type LeakedKeyRoutesDeps } from '../../access/http/runner-leaked-keys.js';
import { createNoticeRoutes, type NoticeRoutesDeps } from '../../access/http/runner-notices.js';
import { createSessionRoutes, type SessionRoutesDeps } from '../../access/http/runner-session.js';
import { type ArtifactRoutesDeps, createArtifactRoutes } from '../../builds/http/runner-artifacts.js';
import { createFileRoutes, type FileRoutesDeps } from '../../builds/http/runner-files.js';
import type { PaymentWebhooks } from '../../payments/app/payment-webhooks.js';
import { createOrderPaymentRoutes, type OrderPaymentRoutesDeps } from '../../payments/http/runner-orders.js';
import { createPaymentWebhookRoutes } from '../../payments/http/runner-payment-webhooks.js';
import { createReferenceRoute } from '../../platform/http/reference.js';
import type { LeveledRoute } from '../../platform/http/route.js';
import { runnerCodes, runnerError } from '../../platform/http/runner-envelope.js';

/** What the tables need, all of them together. */
export type RunnerRoutesDeps = SessionRoutesDeps &
  FirstOwnerRoutesDeps &
  NoticeRoutesDeps &
  ApiKeyRoutesDeps &
  LeakedKeyRoutesDeps &
  FileRoutesDeps &
  ArtifactRoutesDeps &
  OrderPaymentRoutesDeps & {
    readonly siteUrl: string;
    /** Null: PortOne is not set up. */
    readonly paymentWebhooks: PaymentWebhooks | null;
  };

export function createRunnerRoutes(deps: RunnerRoutesDeps): LeveledRoute[] {
  const about = {
    title: 'Cidermill runner API',
    url: `${deps.siteUrl}/api/runner`,
    error: runnerError,
    codes: runnerCodes,
    sessionCookie: deps.cookie.name,
  };
  const levels = { ...runnerLevels, ...(deps.paymentWebhooks ? paymentWebhookLevels : {}) };
  const routes: LeveledRoute[] = withLevels(levels, [
    ...createSessionRoutes(deps),
    ...createFirstOwnerRoutes(deps),
    ...createApiKeyRoutes(deps),
    ...createNoticeRoutes(deps),
    ...createLeakedKeyRoutes(deps),
    ...createFileRoutes(deps),
    ...createArtifactRoutes(deps),
    ...createOrderPaymentRoutes(deps),
    ...createPaymentWebhookRoutes(deps.paymentWebhooks),
    createReferenceRoute(() => routes, about),
  ]);
  return routes;
}
