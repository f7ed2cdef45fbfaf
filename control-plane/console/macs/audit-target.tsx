import type { AuditEntry } from '../../../client/types.js';
import { NameAndId } from './mac-link.js';

/** What an action concerned: a Mac by name, anything else by id. */
export function AuditTarget({ target, target_name: name }: Pick<AuditEntry, 'target' | 'target_name'>) {
  if (target === null) return '–';
  return name === null ? <code>{target}</code> : <NameAndId id={target} name={name} />;
}
