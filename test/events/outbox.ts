// The part of a control plane that sends events out, on a database file: for tests that kill it, and for the bench.

import { compose } from '../../control-plane/compose/compose.js';
import { readConfig } from '../../control-plane/config.js';
import { openDatabase } from '../../control-plane/data-folder.js';
import type { EventType } from '../../control-plane/events/domain/event.js';
import { newId } from '../../control-plane/platform/domain/ids.js';
import type { Limits } from '../../control-plane/platform/domain/limits.js';
import { noAllowedReceivers } from '../../control-plane/platform/outbound/allowed-receivers.js';
import { createPublicFetch } from '../../control-plane/platform/outbound/public-fetch.js';
import { insertEvent } from '../../control-plane/platform/store/outbox.js';
import { systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';

/** @param folder holds the database; a second one may be opened on it when the first is dead */
export async function openOutbox(folder: string, changed: Partial<Limits> = {}) {
  const usual = readConfig({}, { CIDERMILL_DATA: folder });
  const config = { ...usual, statusApi: null, limits: { ...usual.limits, ...changed } };
  const { store } = await openDatabase(folder);
  const clock = systemClock;
  const publicFetch = createPublicFetch({
    rules: { allowLoopback: true, allowed: noAllowedReceivers },
    resolve: () => Promise.reject(new Error('no name service')),
    timeoutMs: config.limits.webhook_timeout_ms,
    bodyBytes: config.limits.webhook_response_bytes,
  });
  const parts = await compose({
    config,
    store,
    clock,
    siteUrl: 'http://cidermill.test',
    log: createLog('outbox', 'silent'),
    ports: { publicFetch },
  });
  const { webhooks, deliveries, workers } = parts.events;
  parts.startWorkers((worker) => workers.includes(worker));
  const { wake } = parts.platform;
  return {
    store,
    webhooks,
    deliveries,
    workers: { idle: parts.workersIdle },
    account: async (name: string) => (await parts.access.organizations.create({ name })).id,
    /** Writes events of one build, as the transaction of what happened does. */
    async publish(accountId: number, buildId: string, types: readonly EventType[]): Promise<void> {
      await store.transaction(async (tx) => {
        await tx.run(
          `INSERT INTO builds (build_id, account_id, workspace_id, status, queue_class, timeout_min, priority, clean_tree,
             queue_until_rental, attempt, created_at)
           SELECT :buildId, account_id, workspace_id, 'succeeded', '', 60, 0, 0, 0, 1, 0 FROM workspaces
           WHERE account_id = :accountId ON CONFLICT DO NOTHING`,
          { accountId, buildId },
        );
        for (const [index, type] of types.entries()) {
          const eventId = newId('evt');
          const sequence = index + 1;
          const payload = JSON.stringify({
            event_id: eventId,
            event_type: type,
            sequence,
            at: clock.now(),
            build: { id: buildId },
          });
          await insertEvent(tx, {
            eventId,
            accountId,
            subjectKind: 'build',
            subjectId: buildId,
            eventType: type,
            sequence,
            occurredAt: clock.now(),
            payload,
          });
        }
        tx.onCommit(() => wake.wake('events'));
      });
    },
    async close() {
      await parts.close();
      await store.close();
    },
  };
}
