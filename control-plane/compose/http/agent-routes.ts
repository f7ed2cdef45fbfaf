// Every route of family A. A new table is added here, by hand: the list of routes stands somewhere.

import { agentLevels, withLevels } from '../../access/domain/levels.js';
import { type AccountRoutesDeps, createAccountRoutes } from '../../access/http/agent-account.js';
import { type BuildLogRoutesDeps, createBuildLogRoutes } from '../../builds/http/agent-build-log.js';
import { type BuildRoutesDeps, createBuildRoutes } from '../../builds/http/agent-builds.js';
import { createQueueRoutes, type QueueRoutesDeps } from '../../builds/http/agent-queue.js';
import { createSecretRoutes, type SecretRoutesDeps } from '../../builds/http/agent-secrets.js';
import { createWebhookRoutes, type WebhookRoutesDeps } from '../../events/http/agent-webhooks.js';
import { createJobRoutes, type JobRoutesDeps } from '../../macs/http/agent-jobs.js';
import { createMaintenanceRoutes, type MaintenanceRoutesDeps } from '../../macs/http/agent-maintenance.js';
import { agentCodes, agentError } from '../../platform/http/agent-envelope.js';
import { createErrorRoutes, type ErrorRoutesDeps } from '../../platform/http/agent-errors.js';
import { createReferenceRoute } from '../../platform/http/reference.js';
import type { LeveledRoute } from '../../platform/http/route.js';
import { runnerCodes, runnerError } from '../../platform/http/runner-envelope.js';
import { type CatalogRoutesDeps, createCatalogRoutes } from '../../renting/http/agent-catalog.js';
import { createExtensionRoutes, type ExtensionRoutesDeps } from '../../renting/http/agent-extensions.js';
import { createOrderRoutes, type OrderRoutesDeps } from '../../renting/http/agent-orders.js';
import { createQuoteRoutes, type QuoteRoutesDeps } from '../../renting/http/agent-quote.js';
import { createRentalRoutes, type RentalRoutesDeps } from '../../renting/http/agent-rentals.js';
import { createWaitlistRoutes, type WaitlistRoutesDeps } from '../../renting/http/agent-waitlist.js';
import { createRetiredRoutes } from '../../start/http/agent-retired.js';
import { createStartRoutes, type StartRoutesDeps } from '../../start/http/agent-start.js';
import { createStatusRoutes, type StatusRoutesDeps } from '../../start/http/agent-status.js';
import { createUploadRoutes, type UploadRoutesDeps } from '../../uploads/http/agent-uploads.js';

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
    readonly runnerRoutes: readonly LeveledRoute[];
  };

export function createAgentRoutes(deps: AgentRoutesDeps): LeveledRoute[] {
  const url = `${deps.siteUrl}/api/v1`;
  const about = {
    ...{ title: 'Cidermill agent API', url, error: agentError, codes: agentCodes },
    ...{ headers: { ErrorFormat: errorFormat }, webhooks: true },
    beside: {
      ...{ url: `${deps.siteUrl}/api/runner`, error: runnerError, codes: runnerCodes },
      routes: deps.runnerRoutes.filter(isForKeys),
    },
  };
  const routes: LeveledRoute[] = withLevels(agentLevels, [
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
    createReferenceRoute(() => routes, about),
  ]);
  return routes;
}

/** A program with a key finds its files and artifacts in one document with the rest. */
const isForKeys = ({ path, consoleOnly }: LeveledRoute) =>
  consoleOnly !== true && /^\/v1\/(files|jobs|downloads)(\/|$)/.test(path);

const errorFormat = {
  name: 'Service-Error-Format',
  in: 'header',
  description:
    'Send 2: errors are {error: {...}}. Without it error is the code, and the rest is error_detail.',
  schema: { const: '2' },
};
