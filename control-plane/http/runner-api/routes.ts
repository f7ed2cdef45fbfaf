// Every route of family B, added by hand like those of family A.
import type { PaymentWebhooks } from '../../app/payment-webhooks.js';
import { createReferenceRoute } from '../reference.js';
import type { AnyRoute } from '../route.js';
import { type ApiKeyRoutesDeps, createApiKeyRoutes } from './api-keys.js';
import { type ArtifactRoutesDeps, createArtifactRoutes } from './artifacts.js';
import { runnerCodes, runnerError } from './envelope.js';
import { createFileRoutes, type FileRoutesDeps } from './files.js';
import { createFirstOwnerRoutes, type FirstOwnerRoutesDeps } from './first-owner.js';
import { createLeakedKeyRoutes, type LeakedKeyRoutesDeps } from './leaked-keys.js';
import { createNoticeRoutes, type NoticeRoutesDeps } from './notices.js';
import { createOrderPaymentRoutes, type OrderPaymentRoutesDeps } from './orders.js';
import { createPaymentWebhookRoutes } from './payment-webhooks.js';
import { createSessionRoutes, type SessionRoutesDeps } from './session.js';

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

export function createRunnerRoutes(deps: RunnerRoutesDeps): AnyRoute[] {
  const routes = [
    ...createSessionRoutes(deps),
    ...createFirstOwnerRoutes(deps),
    ...createApiKeyRoutes(deps),
    ...createNoticeRoutes(deps),
    ...createLeakedKeyRoutes(deps),
    ...createFileRoutes(deps),
    ...createArtifactRoutes(deps),
    ...createOrderPaymentRoutes(deps),
    ...createPaymentWebhookRoutes(deps.paymentWebhooks),
  ];
  const about = {
    title: 'Cidermill runner API',
    url: `${deps.siteUrl}/api/runner`,
    error: runnerError,
    codes: runnerCodes,
    sessionCookie: deps.cookie.name,
  };
  return [...routes, createReferenceRoute(routes, about)];
}
