// An entry of the audit log: actor, address, action, target and result.
import { redact } from '../../../shared/redact.js';
import type { Caller } from './caller.js';
import { int, type RecordOf, text } from './fields.js';
import type { AccountNoun } from './live-noun.js';
import type { SignedIn } from './person.js';

/** anonymous: not authenticated, as in a failed sign-in. */
export const actorKinds = ['person', 'api_key', 'operator', 'anonymous'] as const;
export type ActorKind = (typeof actorKinds)[number];

export const auditEntryFields = {
  id: int().assigned,
  at: int(),
  /** Null: the action concerns no organization, such as a sign-in. */
  accountId: int().orNull,
  actorKind: text<ActorKind>(),
  actorId: text().orNull,
  actorName: text().orNull,
  /** Null: on the machine of the service. */
  ip: text().orNull,
  /** `resource.verb`. */
  action: text(),
  /** Identifier of the object of the action. Never a name or value that could contain a secret. */
  target: text().orNull,
  /** `ok`, or the code of the error. */
  result: text(),
  /** Number of equal failures within a minute. */
  count: int().initially(1),
};
export type AuditEntry = RecordOf<typeof auditEntryFields>;

/** An action without its time and result. */
export type AuditedAction = Omit<AuditEntry, 'id' | 'at' | 'result' | 'count'>;

export type Actor = Pick<AuditEntry, 'actorKind' | 'actorId' | 'actorName'>;

/** Facts about an action that are known only after it. */
export interface AuditSubject {
  readonly target?: string | null;
  readonly accountId?: number;
  readonly actor?: Actor;
}

/** An action in the audit log: of a changing route, or of a command. */
export interface RouteAction {
  /** `resource.verb`. */
  readonly name: string;
  /** Field of the reply that identifies what was created or changed, if the path does not. */
  readonly made?: string;
  /**
   * What open pages of the organization read again after it, besides its audit log. What a topic of `start/app/live-nouns.ts`
   * names after the same change is not repeated.
   */
  readonly concerns: readonly AccountNoun[];
}

export const anonymous: Actor = { actorKind: 'anonymous', actorId: null, actorName: null };

export const personActor = ({ userId, email }: Pick<SignedIn, 'userId' | 'email'>): Actor => ({
  actorKind: 'person',
  actorId: userId,
  actorName: email,
});

/** Returns the actor of a request: the key, otherwise the person, otherwise anonymous. */
export function actorOf(caller: Caller | null, session: SignedIn | null): Actor {
  if (caller?.key) return { actorKind: 'api_key', actorId: caller.key.id, actorName: caller.key.name };
  const person = caller?.person ?? session;
  return person ? personActor(person) : anonymous;
}

const LONGEST_TARGET = 200;
const SHOWN = 5;

/** @example targetOfAll(['host_1', 'host_2']) // 'host_1,host_2'; of more than five '…,+N' */
export function targetOfAll(ids: readonly string[]): string {
  const more = ids.length > SHOWN ? [`+${ids.length - SHOWN}`] : [];
  return [...ids.slice(0, SHOWN), ...more].join(',');
}

/**
 * Returns the text if it is an identifier, otherwise null: free text could contain a secret typed into the wrong field.
 *
 * @example targetOf('wh_7k2m9x0c4v8d3f6g') // the same
 * @example targetOf('correct horse battery') // null
 */
export function targetOf(text: string | null | undefined): string | null {
  if (!text || !/^[A-Za-z0-9][\w.,:+-]*$/.test(text)) return null;
  return redact(text).slice(0, LONGEST_TARGET);
}
