// PostgreSQL's errors as the store port names them.
import pg from 'pg';
import { ConstraintError } from '../sql.js';

/** Class 23: a constraint was violated, or a trigger refused a row. */
const CONSTRAINT = /^23/;

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';

const ABORTED = '25P02';

export function mapError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && error.code === ABORTED) return caughtFailure(error);
  if (error instanceof pg.DatabaseError && CONSTRAINT.test(error.code ?? '')) {
    return new ConstraintError(constraintOf(error), { cause: error });
  }
  return error;
}

/** PostgreSQL takes a whole transaction back when one of its statements fails; SQLite only that statement. */
export const caughtFailure = (cause?: unknown): Error =>
  new Error('a statement of this transaction had failed, and its error was not passed on', { cause });

/** The columns as SQLite names them, e.g. `notes.text`, or the message. */
function constraintOf({ table, column, detail, message }: pg.DatabaseError): string {
  const [, listed] = /^Key \(([^)]*)\)=/.exec(detail ?? '') ?? [];
  const names = listed?.split(', ') ?? (column === undefined ? [] : [column]);
  if (table === undefined || names.length === 0) return message;
  return names.map((name) => `${table}.${name.replaceAll('"', '')}`).join(', ');
}

/** Another transaction came first: this one did nothing, and may run again. */
export const isConflict = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && (error.code === SERIALIZATION_FAILURE || error.code === DEADLOCK);

/** A migration of another process has changed a type since this connection prepared the statement. Other connections may not have. */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';

/** A statement was canceled because its time was over: it would take as long again. */
const TOO_SLOW = '57014';
export const isTooSlow = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === TOO_SLOW;

const UNANSWERED = /^(?:08|57P0[123]|57014|53300)/;

const READ_ONLY = '25006';
/** Where the server refuses what a standby cannot do: serializable transactions, unlogged tables, locks. Messages may be translated. */
const STANDBY_REFUSES = new Set([
  'call_enum_check_hook',
  'check_XactIsoLevel',
  'GetSerializableTransactionSnapshot',
  'get_relation_info',
  'LockAcquireExtended',
]);

/** The server is a standby that has not been promoted yet. */
const isStandby = ({ code, routine }: pg.DatabaseError): boolean =>
  code === READ_ONLY || ((code === '0A000' || code === '55000') && STANDBY_REFUSES.has(routine ?? ''));

/**
 * The connection is lost or refused, the server is going away, it cannot write now, or it did not answer in time: what was not
 * committed did not happen.
 */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return UNANSWERED.test(error.code ?? '') || isStandby(error);
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as NodeJS.ErrnoException;
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code) ||
    /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout)/.test(
      error.message,
    )
  );
}
