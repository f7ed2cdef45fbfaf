// The two forms of build logs, as the conformance suite opens them: files, and rows and objects that processes share.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { createLogRows } from '../../control-plane/builds/app/log-rows.js';
import type { BuildLogs } from '../../control-plane/builds/logs/build-logs.js';
import type { FsBuildLogsOptions } from '../../control-plane/builds/logs/fs-build-logs.js';
import type { LogRows } from '../../control-plane/builds/logs/log-rows.js';
import { createSharedBuildLogs } from '../../control-plane/builds/logs/shared-build-logs.js';
import { openFolderObjects } from '../../control-plane/platform/blobs/folder-objects.js';
import type { ObjectStore } from '../../control-plane/platform/blobs/object-store.js';
import type { Store } from '../../control-plane/platform/store/sql.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { putMigratedDatabase } from '../harness/migrated-database.js';
import { asOwner, dropTestDatabase, onPostgres, openTestDatabase } from '../harness/postgres-database.js';
import { openLogs } from './open-logs.js';

export type LogOptions = Partial<Pick<FsBuildLogsOptions, 'maxOpen' | 'maxBytes' | 'now' | 'onAppend'>>;

export interface OpenedLogs {
  readonly logs: BuildLogs;
  /** Does what happens to the log of a build that has ended. */
  settle(buildId: string): Promise<void>;
}

export interface LogForm {
  /** Opens the logs of a place: the same ones again, as a process that starts does. */
  open(options?: LogOptions): Promise<OpenedLogs>;
}

export const fileForm = (t: Test): LogForm => {
  const root = t.testdir();
  return { open: async (options) => ({ logs: openLogs(root, options), settle: async () => {} }) };
};

/** A database and a folder of objects, for any number of processes. */
export async function sharedPlace(t: Test, change: { rows?: (rows: LogRows) => LogRows } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-logs-'));
  const open = async (): Promise<Store> => {
    if (onPostgres()) return openTestDatabase(root);
    await putMigratedDatabase(join(root, 'cidermill.db'));
    return openSqlite(join(root, 'cidermill.db'), { dataSync: async () => undefined });
  };
  const store = await open();
  const folder = await openFolderObjects(join(root, 'objects'));
  t.teardown(async () => {
    await store.close();
    if (onPostgres()) await dropTestDatabase(root);
    rmSync(root, { recursive: true });
  });
  const rows = (change.rows ?? ((same) => same))(createLogRows(store));
  return {
    root,
    store,
    rows,
    folder,
    /** Only PostgreSQL: gives back what deleted rows took. */
    vacuum: () => asOwner(root, 'VACUUM log_pieces'),
    /** Another process has its own connections; SQLite is of one process. */
    another: async () => {
      if (!onPostgres()) return createLogRows(store);
      const other = await open();
      t.teardown(() => other.close());
      return createLogRows(other);
    },
    process(options: LogOptions & { objects?: ObjectStore; rows?: LogRows } = {}) {
      const shared = createSharedBuildLogs({
        rows,
        objects: folder,
        maxOpen: 8,
        maxBytes: 2 ** 30,
        now: () => 1,
        systemNow: () => 1,
        onAppend: () => {},
        ...options,
      });
      return {
        ...shared,
        async settle(buildId: string) {
          const log = await rows.find(buildId);
          if (log) await shared.ended.move(log);
        },
      };
    },
  };
}

export async function sharedForm(t: Test): Promise<LogForm> {
  const place = await sharedPlace(t);
  return { open: async (options) => place.process(options) };
}
