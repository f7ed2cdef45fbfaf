// The live sessions of a person, which they see and can end.
import type { Clock } from '../../../shared/clock.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SignedIn, User } from '../../platform/domain/person.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import { isLive, type SessionLife, sessionIdOf } from '../domain/session.js';
import { deleteSession, deleteSessionsOf, listSessions } from '../store/sessions.js';

export interface OwnSession extends SessionLife {
  readonly sessionId: string;
  readonly tokenHash: string;
  readonly ip: string;
  readonly userAgent: string | null;
  readonly createdAt: number;
}

type Who = Pick<User, 'userId' | 'operator'>;

export type OwnSessions = ReturnType<typeof createOwnSessions>;

export function createOwnSessions(deps: {
  store: Store;
  clock: Clock;
  limits: Pick<Limits, 'session_idle_ms' | 'operator_session_idle_ms'>;
}) {
  const { store, clock, limits } = deps;
  const live = async (db: Queries, { userId, operator }: Who): Promise<OwnSession[]> =>
    (await listSessions(db, userId))
      .filter((session) => isLive({ ...session, operator }, clock.now(), limits))
      .map((session) => ({ ...session, sessionId: sessionIdOf(session.tokenHash) }));
  return {
    /** Last used first. */
    list: (person: Who): Promise<OwnSession[]> => live(store, person),
    /** Throws not_found. `ended` runs in the transaction of the change. */
    end: (person: Who, sessionId: string, ended: InTransaction): Promise<void> =>
      store.transaction(async (tx) => {
        const own = (await live(tx, person)).find((one) => one.sessionId === sessionId);
        if (!own) throw new ApiError('not_found');
        await deleteSession(tx, own.tokenHash);
        await ended(tx);
      }),
    /** Ends all but the session of this request. `ended` runs in the transaction of the change. */
    endOthers: ({ userId, tokenHash }: Pick<SignedIn, 'userId' | 'tokenHash'>, ended: InTransaction): Promise<void> =>
      store.transaction(async (tx) => {
        await deleteSessionsOf(tx, userId, tokenHash);
        await ended(tx);
      }),
  };
}
