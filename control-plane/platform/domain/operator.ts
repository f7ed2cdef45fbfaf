// Who changes the service itself: a person with the operator flag, a holder of the operator token, or a user of the machine.
import { type Actor, personActor } from './audit-entry.js';
import type { SignedIn } from './person.js';

export interface Operator {
  /** Members of organizations do not see which person it is. */
  readonly actor: Actor;
  /** Null: on the machine of the service. */
  readonly ip: string | null;
  /** Null: not a person of a console session. */
  readonly person: SignedIn | null;
}

export const signedInOperator = (person: SignedIn, ip: string): Operator => ({
  actor: { ...personActor(person), actorKind: 'operator' },
  ip,
  person,
});

/** All holders of the operator token look the same. */
export const tokenOperator = (ip: string): Operator => ({
  actor: { actorKind: 'operator', actorId: null, actorName: 'operator token' },
  ip,
  person: null,
});

/** @param user the user of the operating system; a container may have no name for it */
export const localOperator = (user: { readonly id: string; readonly name: string | null }): Operator => ({
  actor: { actorKind: 'operator', actorId: user.id, actorName: user.name },
  ip: null,
  person: null,
});

/** @example operatorName(tokenOperator('192.0.2.1')) // 'operator token' */
export const operatorName = ({ actor }: Operator): string => actor.actorName ?? actor.actorId ?? 'operator';
