// How operators select the hosts of a change, and what it answers about each.
import { z } from 'zod';
import type { AuditSubject } from '../../platform/domain/audit-entry.js';
import { targetOf } from '../../platform/domain/audit-entry.js';
import { messageShape, messageView } from '../../platform/http/message-view.js';
import type { HostSelection } from '../app/host-selector.js';
import type { HostChange } from '../domain/host-change.js';
import { hostFieldsShape, hostView } from './host-view.js';

/** Exactly one of these selects. */
export const selectionFields = {
  hosts: z.array(z.string()).optional().meta({ description: 'Ids, or names of single hosts' }),
  all: z.boolean().default(false).meta({ description: 'All hosts' }),
  tier: z.string().optional().meta({ description: 'Hosts of this tier' }),
  labels: z.record(z.string(), z.string()).optional().meta({ description: 'Hosts that have all of these labels' }),
};

export const selectionOf = ({ hosts, all, tier, labels }: HostSelection): HostSelection => ({
  hosts,
  all,
  tier,
  labels,
});

/** The subject of a change that fails, or changes no host. Null for a name that could be free text. */
export const selectedSubject = ({
  hosts: [first] = [],
  tier,
}: Pick<HostSelection, 'hosts' | 'tier'>): AuditSubject => ({
  target: targetOf(first ?? tier),
});

export const changedHostsShape = z
  .object({
    hosts: z.array(
      z.object({
        ...hostFieldsShape,
        changes: z
          .array(z.object({ field: z.string(), from: z.string().nullable(), to: z.string().nullable() }))
          .meta({ description: 'Empty: nothing had to change, or the host was left out' }),
        left_out: z.string().nullable().meta({ description: 'Why the host was left out; null: it was not' }),
        left_out_message: messageShape.nullable().meta({ description: '`left_out` as a code with values' }),
      }),
    ),
  })
  .meta({ id: 'ChangedHosts' });

export const changedHostsView = (changes: readonly HostChange[]): z.input<typeof changedHostsShape> => ({
  hosts: changes.map(({ host, changes, leftOut }) => ({
    ...hostView(host),
    changes: changes.map((one) => ({ ...one })),
    left_out: leftOut?.text ?? null,
    left_out_message: leftOut && messageView(leftOut),
  })),
});

/** An entry for each host that changed. */
export const changedSubjects = (changes: readonly HostChange[]): AuditSubject[] =>
  changes.filter(({ changes }) => changes.length > 0).map(({ host }) => ({ target: host.hostId }));
