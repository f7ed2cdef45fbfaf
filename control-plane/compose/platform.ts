// The platform that every capability uses.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, stopwatch, systemClock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import { packageVersion } from '../../shared/package-version.js';
import { createSteadyClock } from '../../shared/steady-clock.js';
import { scriptOf } from '../builds/app/build-lookup.js';
import type { Config } from '../config.js';
import { dataFolder, openServiceKeys } from '../data-folder.js';
import { createApiErrors } from '../platform/app/api-errors.js';
import { createIdempotency } from '../platform/app/idempotency.js';
import { type OwnProcess, soleProcess } from '../platform/app/processes.js';
import { createRecordsQuota } from '../platform/app/records-quota.js';
import { createSweeps } from '../platform/app/sweeps.js';
import { createTurns } from '../platform/app/turns.js';
import { createVault } from '../platform/app/vault.js';
import { openContents } from '../platform/blobs/contents.js';
import { createDiskRoom } from '../platform/blobs/disk-room.js';
import type { SharedState } from '../platform/domain/shared-state.js';
import { createAnswersInFlight } from '../platform/http/answers-in-flight.js';
import { createErrorRoutes } from '../platform/http/api-errors.js';
import { createOpenRequests } from '../platform/http/open-requests.js';
import { createRateLimits } from '../platform/http/rate-limits.js';
import { createRequestRate } from '../platform/http/request-rate.js';
import { createTurnRefusals } from '../platform/http/request-turns.js';
import { createPublicFetch } from '../platform/outbound/public-fetch.js';
import { createPublicResolver } from '../platform/outbound/resolve-host.js';
import { shiftChecks } from '../platform/store/kept-objects.js';
import { shiftMailAttempts } from '../platform/store/mails.js';
import { newestMigration } from '../platform/store/migrations/all.js';
import type { Store, Transaction } from '../platform/store/sql.js';
import { createWake } from '../platform/wake.js';
import { createSiteCertificateWatch } from '../platform/workers/site-certificate.js';
import { platformWorkers } from '../platform/workers/table.js';
import { composeObjects } from './objects.js';
import type { Ports } from './ports.js';

export interface BaseOptions {
  readonly config: Config;
  /** Open, with all migrations applied. */
  readonly store: Store;
  /** This process, among those on the same database. Default: the only one. */
  readonly processes?: OwnProcess;
  /** Without a trailing slash. */
  readonly siteUrl: string;
  /** The service's clock; the service itself follows its steps only after spans have been shifted. */
  readonly clock: Clock;
  readonly log: Log;
  /** What processes on the same database count and lock together; null or absent: there is one process. */
  readonly shared?: SharedState | null;
  /** Whether webhook receivers on this machine are allowed (test clock). */
  readonly allowLoopback?: boolean;
  /** pending: mails are left for the service to send. Default: as configured. */
  readonly mail?: 'pending';
  readonly ports?: Partial<Ports>;
}

export type Base = ReturnType<typeof composeBase>;

/** Creates what the service and operators' commands share. Opens no file and starts nothing. */
export function composeBase(options: BaseOptions) {
  const { config, siteUrl, ports = {}, shared = null } = options;
  const clock = createSteadyClock(options.clock);
  const { limits, mail } = config;
  const realClock = ports.realClock ?? systemClock;
  const rateLimits = createRateLimits(clock, limits.rate_limit_callers, shared?.buckets ?? null);
  return {
    ...options,
    processes:
      options.processes ??
      soleProcess({ version: packageVersion(), schemaId: newestMigration, keyId: () => '', clock: realClock }),
    clock,
    ports,
    shared,
    rateLimits,
    limits,
    realClock,
    site: { siteUrl },
    mail: options.mail ?? (mail !== null || ports.sendMail !== undefined),
    wake: createWake(realClock),
    sweeps: createSweeps({ store: options.store, realClock }),
    requestRate: createRequestRate({ rateLimits, limits }),
    openRequests: createOpenRequests(limits, shared?.counts),
  };
}

export type Platform = Awaited<ReturnType<typeof composePlatform>>;

export async function composePlatform(base: Base) {
  const { config, store, clock, realClock, limits, log, ports } = base;
  const folder = (name: string) => {
    const path = join(config.data, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  const { keyFile } = dataFolder(config.data);
  const keys = openServiceKeys(keyFile, () =>
    log.warn({ path: keyFile }, 'the key file was removed; it has been written again'),
  );
  const vault = createVault(keys);
  const apiErrors = createApiErrors({ store, clock, realClock, limits, log });
  const diskRoom =
    ports.diskRoom ?? createDiskRoom(config.data, { reserveBytes: limits.disk_reserve_bytes, clock: realClock });
  const objects = await composeObjects(base);
  const contents =
    ports.contents ??
    objects.contents ??
    (await openContents(folder('contents'), {
      room: diskRoom,
      onDamaged: (path, error) =>
        log.error({ err: error, path }, 'a pack of contents is damaged; its contents are not collected'),
      onCompactionFailed: (path, error) =>
        log.warn(
          { err: error, path },
          'a file of small contents could not be compacted; the next deletion in the file tries it again',
        ),
    }));
  const publicFetch =
    ports.publicFetch ??
    createPublicFetch({
      rules: { allowLoopback: base.allowLoopback ?? false, allowed: config.allowedReceivers },
      resolve: createPublicResolver({ timeoutMs: limits.webhook_lookup_ms }),
      timeoutMs: limits.webhook_timeout_ms,
      bodyBytes: limits.webhook_response_bytes,
    });
  const certificate = createSiteCertificateWatch(base);
  const turns = createTurns({ stopwatch });
  const answers = createAnswersInFlight({ limits, clock: realClock, freed: turns.reconsider });
  turns.addGate(answers.admits);
  const refusals = createTurnRefusals({ turns, limits });
  store.shareBy(turns, stopwatch);
  return {
    ...base,
    folder,
    vault,
    apiErrors,
    contents,
    /** Null: contents are files in the data folder. */
    objects: objects.place,
    diskRoom,
    publicFetch,
    turns,
    answers,
    refusals,
    idempotency: createIdempotency({
      store,
      clock,
      vault,
      limits,
      shared: base.shared?.locks ?? null,
      findScript: (accountId, scriptId) => scriptOf(store, accountId, scriptId),
    }),
    recordsQuota: createRecordsQuota({ store, limits, shared: base.shared?.counts }),
    apiRoutes: createErrorRoutes({ apiErrors, limits }),
    workers: platformWorkers(base),
    realTimeWorkers: [...certificate.workers, ...objects.workers],
    async shiftSpans(tx: Transaction, ms: number) {
      await shiftMailAttempts(tx, ms);
      await shiftChecks(tx, ms);
    },
    degradations: [objects.degradations],
    gauges: [
      ...base.sweeps.gauges,
      ...base.openRequests.gauges,
      ...certificate.gauges,
      ...objects.gauges,
      ...turns.gauges,
      ...answers.gauges,
      ...refusals.gauges,
    ],
    async close() {
      await publicFetch.close();
      await apiErrors.close();
      await objects.place?.objects.close();
    },
  };
}
