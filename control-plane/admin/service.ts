// The use cases of admin commands, on the database of a data folder, whether or not a service is running.
import { existsSync } from 'node:fs';
import { type Clock, createAdvancingClock, systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import { pause } from '../../shared/pause.js';
import { checkFolderOwner } from '../../shared/private-folder.js';
import type { ReadUsageNow } from '../access/app/account-usage.js';
import type { ApiKeys } from '../access/app/api-keys.js';
import type { AuditLog } from '../access/app/audit-log.js';
import type { Invites } from '../access/app/invites.js';
import type { Members } from '../access/app/members.js';
import type { Organizations } from '../access/app/organizations.js';
import type { Users } from '../access/app/users.js';
import type { Workspaces } from '../access/app/workspaces.js';
import { listWorkspaces } from '../access/store/workspaces.js';
import { composeAccess } from '../compose/access.js';
import { composeHosts } from '../compose/hosts.js';
import { composePackages } from '../compose/packages.js';
import { composePayments } from '../compose/payments.js';
import { type Base, composeBase } from '../compose/platform.js';
import { composeOrders } from '../compose/renting.js';
import { readConfig } from '../config.js';
import { dataFolder } from '../data-folder.js';
import type { Hosts } from '../hosts/app/hosts.js';
import type { Rollouts } from '../hosts/app/rollouts.js';
import { createImagePulls, type ImagePulls } from '../macs/app/image-pulls.js';
import type { Tiers } from '../macs/app/tiers.js';
import { createOperatorNotices, type OperatorNotices } from '../operators/app/operator-notices.js';
import type { Credit } from '../payments/app/credit.js';
import type { ManualSettlements } from '../payments/app/manual-settlements.js';
import type { OrderRefunds } from '../payments/app/order-refunds.js';
import { createVault } from '../platform/app/vault.js';
import type { Limits } from '../platform/domain/limits.js';
import { lockedAddress } from '../platform/store/folder-lock.js';
import { type KeyFile, openKeyFile } from '../platform/store/key-file.js';
import { readClockOffset, recordBackup } from '../platform/store/meta.js';
import { isMigrated } from '../platform/store/migrate.js';
import { migrations } from '../platform/store/migrations/all.js';
import type { Store } from '../platform/store/sql.js';
import { openSqlite } from '../platform/store/sqlite.js';
import type { RentalGrants } from '../renting/app/rental-grants.js';
import { createFleet, type Fleet } from '../start/app/fleet.js';
import { listUnreadable, type Unreadable } from '../start/app/unreadable-secrets.js';
import { writeBackup } from './backup.js';
import { type Rotation, rotateKey } from './key-rotation.js';
import { NoDatabaseError } from './no-database.js';

export interface AdminService {
  /** Who runs the command: the name of a user of this machine, or `operator token`. */
  readonly operator: string;
  readonly limits: Limits;
  readonly usageNow: ReadUsageNow;
  readonly organizations: Organizations;
  readonly users: Users;
  readonly members: Members;
  readonly invites: Invites;
  readonly workspaces: Workspaces;
  readonly apiKeys: ApiKeys;
  readonly tiers: Tiers;
  readonly hosts: Hosts;
  readonly rollouts: Rollouts;
  readonly fleet: Fleet;
  readonly images: ImagePulls;
  readonly operatorNotices: OperatorNotices;
  readonly orderRefunds: OrderRefunds;
  readonly credit: Credit;
  readonly manualSettlements: ManualSettlements;
  readonly rentalGrants: RentalGrants;
  readonly auditLog: Pick<AuditLog, 'read' | 'newest'>;
  /** The time of the service, ms. */
  now(): number;
  /** Waits in real time. */
  pause(ms: number): Promise<void>;
  /** Returns the id of the workspace that was created with the account. */
  defaultWorkspace(accountId: number): Promise<string>;
  backup(file: string): Promise<void>;
  rotateKey(): Promise<Rotation>;
  /** Returns all sealed values that cannot be decrypted. */
  unreadableSecrets(): Promise<Unreadable[]>;
}

/** Opens the folder's database, runs `work`, and closes it. Throws NoDatabaseError. */
export async function withBase<T>(data: string, work: (base: Base) => Promise<T>): Promise<T> {
  const { database, lock } = dataFolder(data);
  if (!existsSync(database)) {
    throw new NoDatabaseError(`there is no database in ${data}: start the service there once, or give --data`);
  }
  // The service could not read files of another user.
  checkFolderOwner(data);
  const store = openSqlite(database);
  try {
    await checkVersion(store);
    const config = { ...readConfig(process.env), data };
    const base = composeBase({
      store,
      clock: await serviceClock(store),
      log: createLog('admin', 'warn'),
      config,
      // For the addresses of invitations; empty if the service neither runs nor is configured here.
      siteUrl: config.http.siteUrl ?? lockedAddress(lock) ?? '',
      // Only the service has the configuration of the mail server.
      mail: 'pending',
    });
    return await work(base);
  } finally {
    await store.close();
  }
}

/** The same with the use cases, which do not write audit entries themselves. */
export const withService = <T>(data: string, work: (service: AdminService) => Promise<T>): Promise<T> =>
  withBase(data, (base) => work(createAdminService(base, 'operator')));

/** Composes what commands need on the store of `base`: of a running service, or of a database only. */
export function createAdminService(base: Base, operator: string): AdminService {
  const { store, clock, limits } = base;
  const access = composeAccess(base);
  const orders = composeOrders(base);
  const hosts = composeHosts(base, composePackages(base).packages);
  const payments = composePayments(base, orders);
  const { keyFile } = dataFolder(base.config.data);
  return {
    operator,
    usageNow: access.usageNow,
    organizations: access.organizations,
    users: access.users,
    apiKeys: access.apiKeys,
    members: access.members,
    invites: access.invites,
    workspaces: access.workspaces,
    hosts: hosts.hosts,
    rollouts: hosts.rollouts,
    tiers: orders.tiers,
    rentalGrants: orders.rentalGrants,
    orderRefunds: payments.orderRefunds,
    credit: payments.credit,
    manualSettlements: payments.manualSettlements,
    fleet: createFleet(base),
    images: createImagePulls(base),
    operatorNotices: createOperatorNotices(base),
    auditLog: access.auditLog,
    limits,
    now: () => clock.now(),
    pause: (ms) => pause(base.realClock, ms),
    async defaultWorkspace(accountId) {
      const [first] = await listWorkspaces(store, accountId);
      if (!first) throw new Error(`the account ${accountId} has no workspace`);
      return first.workspaceId;
    },
    async backup(file) {
      await writeBackup(store, file, dataFolder(base.config.data));
      await store.transaction((tx) => recordBackup(tx, clock.now()));
    },
    rotateKey() {
      const keys = existingKeys(keyFile);
      return rotateKey({ store, keys, vault: createVault(keys) });
    },
    unreadableSecrets: () => listUnreadable({ store, vault: createVault(existingKeys(keyFile)) }),
  };
}

/** Never creates a key: it could differ from the key of a running service. Throws NoDatabaseError. */
function existingKeys(keyFile: string): KeyFile {
  try {
    return openKeyFile(keyFile, { create: false });
  } catch (error) {
    throw new NoDatabaseError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Returns the service's clock. A test clock may be ahead of real time, and rows must have its time. */
async function serviceClock(store: Store): Promise<Clock> {
  const offset = await readClockOffset(store);
  return offset === 0 ? systemClock : createAdvancingClock({ base: systemClock, offset });
}

async function checkVersion(store: Store): Promise<void> {
  const migrated = await isMigrated(store, migrations).catch((cause: unknown) => {
    throw new NoDatabaseError('this is not a database of the service', { cause });
  });
  if (!migrated) {
    throw new NoDatabaseError('the database is of another version: start this version of the service once');
  }
}
