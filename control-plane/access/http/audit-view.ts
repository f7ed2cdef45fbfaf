import { z } from 'zod';
import { actorKinds } from '../../platform/domain/audit-entry.js';
import { enumeration } from '../../platform/domain/enumeration.js';
import { time } from '../../platform/http/values.js';
import type { NamedEntry } from '../app/audit-log.js';

export const auditEntryShape = z
  .object({
    at: time,
    actor: z.object({
      kind: enumeration(actorKinds, {
        id: 'ActorKind',
        about: 'Who did it',
        meanings: {
          person: 'a member, in the console',
          api_key: 'an API key',
          operator: 'an operator of the service',
          anonymous: 'not authenticated',
        },
      }),
      id: z.string().nullable(),
      name: z.string().nullable(),
    }),
    ip: z.string().nullable(),
    action: z.string().meta({ description: '`resource.verb`' }),
    target: z.string().nullable().meta({ description: 'Identifier of the object of the action' }),
    target_name: z.string().nullable().meta({ description: 'Name of the Mac, where the target is a rental' }),
    result: z.string().meta({ description: '`ok`, or an error code' }),
    count: z.int().min(1).meta({ description: 'Number of equal failures within a minute' }),
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntryView = z.infer<typeof auditEntryShape>;

export function auditEntryView(entry: NamedEntry): AuditEntryView {
  const { at, actorKind, actorId, actorName, ip, action, target, targetName, result, count } = entry;
  return {
    at: new Date(at).toISOString(),
    actor: { kind: actorKind, id: actorId, name: actorName },
    ip,
    action,
    target,
    target_name: targetName,
    result,
    count,
  };
}

/** The same for people of the organization, without the operator's identity and address. */
export function memberAuditEntryView(entry: NamedEntry): AuditEntryView {
  if (entry.actorKind !== 'operator') return auditEntryView(entry);
  return auditEntryView({ ...entry, actorId: null, actorName: null, ip: null });
}
