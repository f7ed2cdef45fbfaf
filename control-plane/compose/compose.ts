// The composition root: creates each capability from those below it and joins their parts.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../shared/clock.js';
import { otherActions } from '../access/domain/audit-actions.js';
import { endBuildOfLostMac, stopBuildForChange } from '../builds/app/build-end.js';
import { undeliveredBuilds } from '../events/app/build-events.js';
import { createClockSteps } from '../platform/app/clock-steps.js';
import { type AddressRanges, compileRanges } from '../platform/domain/cidr.js';
import type { DegradationSource } from '../platform/domain/degradation.js';
import { clientIp } from '../platform/http/client-ip.js';
import { createMetrics } from '../platform/http/metrics.js';
import type { AnyRoute } from '../platform/http/route.js';
import { type RunningWorkers, runWorkers } from '../platform/workers/run-workers.js';
import type { Worker } from '../platform/workers/worker.js';
import { macIsReady } from '../renting/app/provisioning.js';
import { recordRentalEvent } from '../renting/app/renting-events.js';
import { type NounsOfAction, nounsOfActions } from '../start/app/live-nouns.js';
import { composeAccess } from './access.js';
import { composeBuilds } from './builds.js';
import { composeEvents } from './events.js';
import { composeHosts } from './hosts.js';
import { joinApiRoutes, joinConsoleRoutes, joinOperatorRoutes } from './http/routes.js';
import { buildServer } from './http/server.js';
import { composeMacs } from './macs.js';
import { createOperatorRoutes } from './operator-api.js';
import { composeOperatorService } from './operator-service.js';
import { composeOperators } from './operators.js';
import { composePackages } from './packages.js';
import type { Part } from './part.js';
import { composePayments } from './payments.js';
import { type BaseOptions, composeBase, composePlatform, type Platform } from './platform.js';
import { composeOrders, composeRenting } from './renting.js';
import { composeStart } from './start.js';
import { composeUploads } from './uploads.js';

export interface CompositionOptions extends BaseOptions {
  /** Mounts additional routes: the test clock. */
  readonly mount?: (server: FastifyInstance) => void;
  /** Routes added by a test, which are in no OpenAPI document. */
  readonly extra?: (platform: Platform) => {
    readonly apiRoutes?: readonly AnyRoute[];
    readonly consoleRoutes?: readonly AnyRoute[];
    readonly degradations?: readonly DegradationSource[];
  };
}

export type Composition = Awaited<ReturnType<typeof compose>>;

/**
 * Creates every part. Nothing listens and no worker runs yet.
 *
 * @example const { server } = await compose({ config, store, siteUrl, clock, log }); await server.listen({ port: 8460 });
 */
export async function compose(options: CompositionOptions) {
  const capabilities = await composeCapabilities(options, (name) => nounsOfAction(name));
  const { platform, access, packages, hosts, macs, uploads, builds, renting, payments, events } = capabilities;
  const { operators, start } = capabilities;
  const parts: readonly Part[] = [
    platform,
    access,
    hosts,
    macs,
    uploads,
    builds,
    renting,
    payments,
    events,
    operators,
    start,
  ];
  const extra = options.extra?.(platform) ?? {};
  const { config, store, siteUrl, limits } = platform;
  const { operatorToken, trustedProxies } = config.http;
  const trusted = trustedProxies.length > 0 ? compileRanges(trustedProxies) : null;
  const ofConsole = joinConsoleRoutes(parts, { siteUrl, cookie: access.cookie, limits });
  const ofApi = joinApiRoutes(parts, { siteUrl, consoleRoutes: ofConsole, limits });
  const apiRoutes = [...ofApi, ...(extra.apiRoutes ?? [])];
  const consoleRoutes = [...ofConsole, ...(extra.consoleRoutes ?? [])];
  const workers = parts.flatMap((part) => part.workers ?? []);
  const realTimeWorkers = parts.flatMap((part) => part.realTimeWorkers ?? []);
  const operatorService = composeOperatorService(platform, {
    ...access,
    ...hosts,
    ...capabilities.orders,
    ...payments,
    packages,
  });
  const operatorRoutes = joinOperatorRoutes(parts, createOperatorRoutes(operatorService, false), {
    siteUrl,
    limits,
    cookie: access.cookie,
  });
  const nounsOfAction = nounsOfActions([
    ...[...apiRoutes, ...consoleRoutes, ...operatorRoutes].flatMap(({ action }) => action ?? []),
    ...otherActions,
  ]);
  let stopping = false;
  let closed = false;
  const server = buildServer({
    ...platform,
    ...access,
    ...builds,
    packages,
    apiRoutes,
    consoleRoutes,
    operatorRoutes,
    operatorToken,
    trustedProxies,
    paymentWindow: config.payments.provider === 'portone',
    metrics: createMetrics(parts.flatMap((part) => part.gauges ?? [])),
    degradations: [...parts.flatMap((part) => part.degradations ?? []), ...(extra.degradations ?? [])],
    awaitedHosts: hosts.hosts.awaited,
    objectsAway: () => platform.objects?.health.isAway() ?? false,
    isStopping: () => stopping,
    async ready() {
      await store.get('SELECT 1');
      await store.durable();
    },
    failure: store.failure,
    mount: options.mount,
  });
  const { wake, clock, log, processes } = platform;
  const shifts = parts.flatMap((part) => part.shiftSpans ?? []);
  const running: RunningWorkers[] = [];
  return {
    ...capabilities,
    operatorService,
    server,
    apiRoutes,
    consoleRoutes,
    operatorRoutes,
    workers,
    realTimeWorkers,
    // With several processes the stored times are of several clocks, of which one has been corrected.
    clockSteps: createClockSteps({ clock, store, wake, log, shifts: processes.several ? [] : shifts }),
    link: linkOf(platform, access, trusted),
    startWorkers: createWorkerStart(platform, { workers, realTimeWorkers, running, isClosed: () => closed }),
    /** Resolves when all due work is done. Workers that follow real time run first, because they wake others. */
    async workersIdle() {
      for (const workers of running.toReversed()) await workers.idle();
    },
    /** `/readyz` says from now on that no more requests should come. */
    announceStop() {
      stopping = true;
    },
    /** Ends long polls, waits for requests in flight and workers, and closes all resources. */
    async close() {
      closed = true;
      wake.close();
      await server.close();
      for (const workers of running) await workers.stop();
      for (const part of parts) await part.close?.();
    },
  };
}

function createWorkerStart(
  { wake, clock, realClock, log, processes, ports }: Platform,
  all: {
    readonly workers: readonly Worker[];
    readonly realTimeWorkers: readonly Worker[];
    readonly running: RunningWorkers[];
    isClosed(): boolean;
  },
) {
  /**
   * Starts the workers of this process now, and the others once this is the process that runs them.
   *
   * @param which workers to start; default: all
   */
  return (which: (worker: Worker) => boolean = () => true) => {
    const run = (chosen: readonly Worker[], paced: Clock) =>
      all.running.push(
        runWorkers({ workers: chosen.filter(which), wake, clock: paced, realClock: ports.workersClock, log }),
      );
    run(
      all.realTimeWorkers.filter(({ inEachProcess }) => inEachProcess === true),
      realClock,
    );
    processes.beginWorkers(() => {
      if (all.isClosed()) return;
      run(all.workers, clock);
      run(
        all.realTimeWorkers.filter(({ inEachProcess }) => inEachProcess !== true),
        realClock,
      );
    });
  };
}

/** What requests of the host link need, beside the use cases. */
function linkOf(
  { siteUrl, clock, limits, rateLimits }: Platform,
  { auditLog: audit }: ReturnType<typeof composeAccess>,
  trusted: AddressRanges | null,
) {
  const address = ({ raw }: Pick<FastifyRequest, 'raw'>) => clientIp(raw, trusted);
  return { siteUrl, clock, limits, rateLimits, audit, clientIp: address };
}

/** Each capability gets those below it; callbacks pass events upwards. */
async function composeCapabilities(options: BaseOptions, nounsOfAction: NounsOfAction) {
  const base = composeBase(options);
  const platform = await composePlatform(base);
  const access = composeAccess(platform);
  const { packages } = composePackages(base);
  const hosts = composeHosts(base, packages);
  const macs = composeMacs(platform, {
    macReady: (tx, before) => macIsReady(tx, orders.changes, before),
    macAvailable: (tx, rentalId, available) =>
      recordRentalEvent(tx, orders.changes, available ? 'rental.available' : 'rental.unavailable', rentalId),
    buildLost: (rentalId, buildId) => endBuildOfLostMac(builds.ends, rentalId, buildId),
    stopBuild: (tx, buildId, warning) => stopBuildForChange(tx, builds.ends, buildId, warning),
  });
  const uploads = composeUploads(platform, access);
  const builds = composeBuilds(platform, {
    ...uploads,
    quota: access.quota,
    undelivered: undeliveredBuilds,
    onCommitKnown: (tx, build) => events.commitStatuses.commitKnown(tx, build),
  });
  const orders = composeOrders(base);
  const renting = composeRenting(platform, orders, { ...hosts, ...macs, builds });
  const payments = composePayments(base, orders);
  const events = composeEvents(platform, { ...builds, ...access });
  const operators = composeOperators(platform);
  const start = composeStart(platform, { ...renting, ...orders.changes, nounsOfAction });
  return {
    platform,
    access,
    packages,
    hosts,
    macs,
    uploads,
    builds,
    orders,
    renting,
    payments,
    events,
    operators,
    start,
  };
}
