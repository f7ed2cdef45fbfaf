// Changes of hosts by operators: state, settings and address.

import { z } from 'zod';
import { countOf } from '../../../shared/count.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { operation } from '../../platform/http/operation.js';
import { count } from '../../platform/http/values.js';
import type { Hosts } from '../app/hosts.js';
import type { HostEvent } from '../domain/host.js';
import {
  changedHostsShape,
  changedHostsView,
  changedSubjects,
  selectedSubject,
  selectionFields,
  selectionOf,
} from './host-selection.js';

type StateDeps = { readonly hosts: Pick<Hosts, 'changeAll' | 'select'> };

/** A change of the state of all selected hosts. */
const stateChange = (event: Exclude<HostEvent, 'approve' | 'remove'>, summary: string) =>
  operation<StateDeps>()({
    name: `host.${event}`,
    summary,
    input: z.object({
      ...selectionFields,
      ...(event === 'undrain'
        ? {}
        : {
            reason: z.string().optional().meta({ description: 'Shown in host list until the host is undrained' }),
          }),
    }) as z.ZodObject<typeof selectionFields & { reason: z.ZodOptional<z.ZodString> }>,
    output: changedHostsShape,
    audit: { name: `host.${event}`, concerns: [] },
    confirm: false,
    access: 'console',
    errors: ['invalid_request', 'host_not_found', 'host_state'],
    async run({ hosts }, input, { by, record, concerns }) {
      concerns(selectedSubject(input));
      const change = { reason: input.reason, by };
      return changedHostsView(await hosts.changeAll(selectionOf(input), event, change, record(changedSubjects)));
    },
  });

export const drainHosts = stateChange('drain', 'Let builds end, send no new ones, make no new Macs');
export const cordonHosts = stateChange('cordon', 'Make no new Macs there; those that are rented go on');
export const undrainHosts = stateChange('undrain', 'End a drain or a cordon');

export const removeHosts = operation<StateDeps>()({
  name: 'host.remove',
  summary: 'Revoke the credentials of hosts and disconnect them at once',
  input: z.object({
    ...selectionFields,
    confirmed: z
      .boolean()
      .default(false)
      .meta({ description: 'Needed to remove more than one host, or hosts that are not named' }),
  }),
  output: changedHostsShape,
  audit: { name: 'host.remove', concerns: [] },
  confirm: true,
  access: 'console',
  errors: ['invalid_request', 'host_not_found', 'host_state'],
  async run({ hosts }, input, { by, record, concerns }) {
    concerns(selectedSubject(input));
    const selection = selectionOf(input);
    if (!input.confirmed && selection.hosts?.length !== 1) {
      const selected = await hosts.select(selection);
      const names = selected.map(({ name, hostId }) => `${name} (${hostId})`).join(', ');
      throw fieldError('invalid_request', 'confirmed', fieldProblem('other_value', { value: 'true' }), {
        message: `This removes ${countOf(selected.length, 'host')}: ${names}. Send \`"confirmed": true\` to remove them.`,
      });
    }
    return changedHostsView(await hosts.changeAll(selection, 'remove', { by }, record(changedSubjects)));
  },
});

const settings = z.object({
  tier: z.string().optional().meta({ description: 'Tier of its Macs; changes only while none is rented' }),
  slots: count.optional().meta({ description: 'Macs that the host may have at a time; existing Macs stay' }),
  shared: z.boolean().optional().meta({ description: 'Whether it may serve several accounts at a time' }),
  labels: z
    .record(z.string(), z.string().nullable())
    .optional()
    .meta({ description: 'Labels to set; null removes one; others stay' }),
  conflict_is_over: z
    .literal(true)
    .optional()
    .meta({ description: 'True: a second agent no longer uses the credential of the host' }),
});

export const setHosts = operation<{ readonly hosts: Pick<Hosts, 'configureAll'> }>()({
  name: 'host.set',
  summary: 'Change settings of hosts',
  input: z.object({ ...selectionFields, set: settings.meta({ description: 'Absent fields stay unchanged' }) }),
  output: changedHostsShape,
  audit: { name: 'host.change', concerns: [] },
  confirm: false,
  access: 'console',
  errors: ['invalid_request', 'invalid_tier', 'host_not_found', 'host_state'],
  async run({ hosts }, input, { record, concerns }) {
    concerns(selectedSubject(input));
    const { conflict_is_over: conflictIsOver, tier, slots, shared, labels } = input.set;
    const given = {
      ...(tier === undefined ? {} : { tier }),
      ...(slots === undefined ? {} : { slots }),
      ...(shared === undefined ? {} : { shared }),
      ...(labels === undefined ? {} : { labels }),
      ...(conflictIsOver === undefined ? {} : { conflictIsOver }),
    };
    if (Object.keys(given).length === 0) {
      const names = 'tier, slots, shared, labels, conflict_is_over';
      throw fieldError('invalid_request', 'set', fieldProblem('one_of_needed', { names }));
    }
    return changedHostsView(await hosts.configureAll(selectionOf(input), given, record(changedSubjects)));
  },
});

export const moveHosts = operation<{ readonly hosts: Pick<Hosts, 'moveAll'> }>()({
  name: 'host.move-to',
  summary: 'Move hosts to another address of this service',
  input: z.object({
    ...selectionFields,
    url: z
      .string()
      .nullable()
      .meta({ description: 'Address, such as https://macs.example; null: hosts that have not moved yet stay' }),
  }),
  output: changedHostsShape,
  audit: { name: 'host.move', concerns: [] },
  confirm: false,
  access: 'token',
  errors: ['invalid_request', 'host_not_found', 'host_state'],
  async run({ hosts }, input, { record, concerns }) {
    concerns(selectedSubject(input));
    return changedHostsView(await hosts.moveAll(selectionOf(input), input.url, record(changedSubjects)));
  },
});

export const hostOperations = [drainHosts, cordonHosts, undrainHosts, removeHosts, setHosts, moveHosts];
