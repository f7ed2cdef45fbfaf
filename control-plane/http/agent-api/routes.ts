// Every route of family A. A new table is added here, by hand: the list of routes stands somewhere.
import { createReferenceRoute } from '../reference.js';
import type { AnyRoute } from '../route.js';
import { runnerCodes, runnerError } from '../runner-api/envelope.js';
import { type AccountRoutesDeps, createAccountRoutes } from './account.js';
import { type BuildLogRoutesDeps, createBuildLogRoutes } from './build-log.js';
import { type BuildRoutesDeps, createBuildRoutes } from './builds.js';
import { type CatalogRoutesDeps, createCatalogRoutes } from './catalog.js';
import { agentCodes, agentError } from './envelope.js';
import { createErrorRoutes, type ErrorRoutesDeps } from './errors.js';
import { createExtensionRoutes, type ExtensionRoutesDeps } from './extensions.js';
import { createJobRoutes, type JobRoutesDeps } from './jobs.js';
import { createMaintenanceRoutes, type MaintenanceRoutesDeps } from './maintenance.js';
import { createOrderRoutes, type OrderRoutesDeps } from './orders.js';
import { createQueueRoutes, type QueueRoutesDeps } from './queue.js';
import { createQuoteRoutes, type QuoteRoutesDeps } from './quote.js';
import { createRentalRoutes, type RentalRoutesDeps } from './rentals.js';
import { createRetiredRoutes } from './retired.js';
import { createSecretRoutes, type SecretRoutesDeps } from './secrets.js';
import { createStartRoutes, type StartRoutesDeps } from './start.js';
import { createStatusRoutes, type StatusRoutesDeps } from './status.js';
import { createUploadRoutes, type UploadRoutesDeps } from './uploads.js';
import { createWaitlistRoutes, type WaitlistRoutesDeps } from './waitlist.js';
import { createWebhookRoutes, type WebhookRoutesDeps } from './webhooks.js';

/** What the tables need, all of them together. */
export type AgentRoutesDeps = AccountRoutesDeps &
  CatalogRoutesDeps &
  QuoteRoutesDeps &
  OrderRoutesDeps &
  RentalRoutesDeps &
  ExtensionRoutesDeps &
  WaitlistRoutesDeps &
  StatusRoutesDeps &
  QueueRoutesDeps &
  BuildRoutesDeps &
  BuildLogRoutesDeps &
  StartRoutesDeps &
  MaintenanceRoutesDeps &
  JobRoutesDeps &
  SecretRoutesDeps &
  UploadRoutesDeps &
  WebhookRoutesDeps &
  ErrorRoutesDeps & {
    readonly siteUrl: string;
    /** Family B, whose operations for keys stand in the reference too. */
    readonly runnerRoutes: readonly AnyRoute[];
  };

export function createAgentRoutes(deps: AgentRoutesDeps): AnyRoute[] {
  const routes = [
    ...createAccountRoutes(deps),
    ...createCatalogRoutes(deps),
    ...createQuoteRoutes(deps),
    ...createOrderRoutes(deps),
    ...createRentalRoutes(deps),
    ...createExtensionRoutes(deps),
    ...createWaitlistRoutes(deps),
    ...createStatusRoutes(deps),
    ...createQueueRoutes(deps),
    ...createBuildRoutes(deps),
    ...createBuildLogRoutes(deps),
    ...createStartRoutes(deps),
    ...createMaintenanceRoutes(deps),
    ...createJobRoutes(deps),
    ...createSecretRoutes(deps),
    ...createErrorRoutes(deps),
    ...createWebhookRoutes(deps),
    ...createUploadRoutes(deps),
    ...createRetiredRoutes(),
  ];
  const url = `${deps.siteUrl}/api/v1`;
  const about = {
    ...{ title: 'Cidermill agent API', url, error: agentError, codes: agentCodes },
    ...{ headers: { ServiceErrorFormat: errorFormat }, webhooks: true },
    beside: {
      ...{ url: `${deps.siteUrl}/api/runner`, error: runnerError, codes: runnerCodes },
      routes: deps.runnerRoutes.filter(isForKeys),
    },
  };
  return [...routes, createReferenceRoute(routes, about)];
}

/** A program with a key finds its files and artifacts in one document with the rest. */
const isForKeys = ({ path, consoleOnly }: AnyRoute) =>
  consoleOnly !== true && /^\/v1\/(files|jobs|downloads)(\/|$)/.test(path);

const errorFormat = {
  name: 'Service-Error-Format',
  in: 'header',
  required: false,
  description:
    'Send 2: errors are {error: {...}}. Without it error is the code, and the rest is error_detail.',
  schema: { const: '2' },
};
