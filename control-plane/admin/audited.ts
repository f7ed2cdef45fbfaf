// Runs a command and writes its audit entry, in the first transaction that changes a row or after the command.
import { userInfo } from 'node:os';
import { createAuditLog } from '../access/app/audit-log.js';
import type { Base } from '../compose/platform.js';
import type { HostChange } from '../hosts/domain/host-change.js';
import { type Actor, type AuditedAction, targetOf } from '../platform/domain/audit-entry.js';
import { ApiError } from '../platform/domain/error-catalog.js';
import type { SignedIn } from '../platform/domain/person.js';
import type { SqlParams, Store, Transaction } from '../platform/store/sql.js';
import { type Call, type Result, textOf } from './command.js';
import type { AdminService } from './service.js';

export interface Operator {
  readonly actor: Actor;
  /** Null: on the machine of the service. */
  readonly ip: string | null;
}

/** The user of the operating system. */
export function localOperator(): Operator {
  return {
    actor: { actorKind: 'operator', actorId: String(process.getuid?.() ?? ''), actorName: osUser() },
    ip: null,
  };
}

/** All holders of the operator token look the same. */
export const remoteOperator = (ip: string): Operator => ({
  actor: { actorKind: 'operator', actorId: null, actorName: 'operator token' },
  ip,
});

/** Null for a user without a name, as in some containers. */
function osUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

/** An operator in the console. Members of organizations do not see who it is. */
export const signedInOperator = ({ userId, email }: SignedIn, ip: string): Operator => ({
  actor: { actorKind: 'operator', actorId: userId, actorName: email },
  ip,
});

/** @param serviceOn creates the use cases on a store */
export async function runAudited(
  base: Base,
  serviceOn: (base: Base, operator: string) => AdminService,
  call: Call,
  { actor, ip }: Operator,
): Promise<Result> {
  const name = call.action;
  const by = actor.actorName ?? actor.actorId ?? 'operator';
  if (name === null) return call.work(serviceOn(base, by));
  const service = serviceOn(base, by);
  const organization = call.org === null ? null : await service.organizations.find(call.org).catch(unknown);
  const auditLog = createAuditLog(base);
  const action = (done: unknown): AuditedAction => {
    const { target, accountId } = subjectOf(done);
    return {
      ...actor,
      ip,
      action: name,
      accountId: accountId ?? organization?.id ?? null,
      target: target ?? targetOf(call.subject) ?? organization?.orgId ?? null,
    };
  };
  let written = false;
  const store: Store = {
    ...base.store,
    transaction: (fn) =>
      base.store.transaction(async (tx) => {
        const { watched, changed } = watchChanges(tx);
        const done = await fn(watched);
        if (written || !changed()) return done;
        const parts = partsOf(done);
        for (const part of parts) await auditLog.append(tx, action(part));
        tx.onCommit(() => {
          written = parts.length > 0;
        });
        return done;
      }),
  };
  try {
    const result = await call.work(serviceOn({ ...base, store }, by));
    if (!written && textOf(result, 'confirm') === null) await auditLog.succeeded(action(null));
    return result;
  } catch (error) {
    const code = error instanceof ApiError ? error.code : 'internal_error';
    await auditLog
      .write(action(null), code)
      .catch((cause: unknown) => base.log.error({ err: cause }, 'the failure was not written to the audit log'));
    throw error;
  }
}

/** Tells whether a transaction has changed a row. */
function watchChanges(tx: Transaction): { watched: Transaction; changed: () => boolean } {
  let changed = false;
  const note = (sql: string, rows: number) => {
    changed ||= rows > 0 && !/^\s*(SELECT|WITH)\b/i.test(sql);
  };
  const watched: Transaction = {
    ...tx,
    async run(sql, params) {
      const done = await tx.run(sql, params);
      note(sql, done.changes);
      return done;
    },
    async get<Row>(sql: string, params?: SqlParams) {
      const row = await tx.get<Row>(sql, params);
      note(sql, row === undefined ? 0 : 1);
      return row;
    },
    async all<Row>(sql: string, params?: SqlParams) {
      const rows = await tx.all<Row>(sql, params);
      note(sql, rows.length);
      return rows;
    },
  };
  return { watched, changed: () => changed };
}

/** The command itself reports it. */
function unknown(error: unknown): null {
  if (error instanceof ApiError) return null;
  throw error;
}

/** Returns what gets an entry each: the hosts that a command for several has changed, or else the result as it is. */
function partsOf(done: unknown): unknown[] {
  if (!Array.isArray(done) || !done.every(isHostChange)) return [done];
  return done.filter(({ changes }) => changes.length > 0);
}

const isHostChange = (one: unknown): one is HostChange =>
  typeof one === 'object' && one !== null && 'host' in one && 'changes' in one;

// The first one counts: an order also names the key that made it, a Mac its order.
const IDS = ['rentalId', 'orderNo', 'keyId', 'inviteId', 'userId', 'hostId', 'orgId', 'workspaceId'] as const;
const SHOWN = 5;

/**
 * Returns the identifier and the account of the record that a transaction returned, or null where it has none.
 *
 * @example subjectOf({ keyId: 'key_1', accountId: 7, … }) // { target: 'key_1', accountId: 7 }
 */
function subjectOf(done: unknown): { target: string | null; accountId: number | null } {
  if (Array.isArray(done)) {
    const ids = done.filter((id) => typeof id === 'string').slice(0, SHOWN);
    const more = done.length > ids.length ? [`+${done.length - ids.length}`] : [];
    return { target: targetOf([...ids, ...more].join(',')), accountId: null };
  }
  if (typeof done !== 'object' || done === null) return { target: null, accountId: null };
  if ('order' in done) return subjectOf(done.order);
  if ('host' in done) return subjectOf(done.host);
  const id = IDS.map((field): unknown => Reflect.get(done, field)).find((value) => typeof value === 'string');
  // A new organization is its own account.
  const accountId: unknown = Reflect.get(done, 'accountId') ?? ('orgId' in done ? Reflect.get(done, 'id') : null);
  return {
    target: typeof id === 'string' ? targetOf(id) : null,
    accountId: typeof accountId === 'number' ? accountId : null,
  };
}
