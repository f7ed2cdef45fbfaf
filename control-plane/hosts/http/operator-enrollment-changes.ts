// How operators let machines become hosts: tokens and approvals.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Message } from '../../../shared/messages/message.js';
import { targetOf } from '../../platform/domain/audit-entry.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { momentOf } from '../../platform/domain/moment.js';
import { operation } from '../../platform/http/operation.js';
import { count, time } from '../../platform/http/values.js';
import type { Hosts } from '../app/hosts.js';
import { MOST_VIRTUAL_MACS } from '../domain/host.js';
import { tokenShape, tokenView } from './enrollment-view.js';
import { hostFieldsShape, hostView } from './host-view.js';

const labels = z.record(z.string(), z.string()).optional().meta({ description: 'Labels of the host' });

const enrollInput = z.object({
  name: z.string().optional().meta({ description: "Name of the host; default: the machine's name" }),
  tier: z.string().optional().meta({ description: 'Tier of its Macs; without it the host waits for approval' }),
  slots: count.default(2).meta({ description: 'Macs that the host may have at a time' }),
  labels,
  reusable: z.boolean().default(false).meta({ description: 'For several hosts; needs `uses` and `until`' }),
  uses: count.optional().meta({ description: 'How many hosts a reusable token enrolls' }),
  until: z
    .string()
    .optional()
    .meta({ description: 'When a reusable token expires: ISO 8601, or from now: 12h, 7d, 4w' }),
});

interface EnrollDeps {
  readonly hosts: Pick<Hosts, 'createEnrolment'>;
  readonly tiers: { show(tier: string): Promise<{ readonly image: string | null }> };
  readonly clock: { now(): number };
}

export const enrollHost = operation<EnrollDeps>()({
  name: 'host.enroll',
  summary: 'Create a token with which a machine becomes a host: one host in a short time, or several',
  input: enrollInput,
  output: z.object({
    token: z.string().meta({ description: 'Shown once' }),
    id: z.string(),
    uses: count,
    expires_at: time,
  }),
  audit: { name: 'host.enroll', concerns: [] },
  confirm: true,
  access: 'console',
  errors: ['invalid_request', 'invalid_tier'],
  async run({ hosts, tiers, clock }, input, { record, concerns }) {
    const { name, tier, slots, labels } = input;
    concerns({ target: targetOf(tier) });
    if (tier !== undefined && slots > MOST_VIRTUAL_MACS && (await tiers.show(tier)).image !== null) {
      const problem = fieldProblem('more_than_macos_runs', { most: MOST_VIRTUAL_MACS, tier });
      throw invalid('slots', problem);
    }
    const request = { name, tier, slots, labels, ...reuseOf(input, clock.now()) };
    return hosts.createEnrolment(
      request,
      record((target) => ({ target })),
    );
  },
});

const invalid = (field: string, problem: Message) => fieldError('invalid_request', field, problem);

function reuseOf({ reusable, uses, until, name }: z.output<typeof enrollInput>, now: number) {
  if (!reusable) {
    if (uses === undefined && until === undefined) return {};
    throw invalid(uses === undefined ? 'until' : 'uses', fieldProblem('needs_other', { other: '"reusable": true' }));
  }
  if (uses === undefined || until === undefined) {
    throw invalid(uses === undefined ? 'uses' : 'until', fieldProblem('required'));
  }
  if (name !== undefined) throw invalid('name', fieldProblem('not_with_other', { other: 'reusable' }));
  const at = momentOf(until, now, 'future');
  if (at === null) throw invalid('until', fieldProblem('invalid_moment'));
  return { reusable: { uses, until: at } };
}

export const revokeToken = operation<{ readonly hosts: Pick<Hosts, 'revokeEnrolment'> }>()({
  name: 'host.token.revoke',
  summary: 'Revoke an enrollment token; hosts that used it stay',
  input: z.object({ id: z.string().meta({ description: 'Id of the token' }) }),
  output: tokenShape,
  audit: { name: 'host.revoke_token', concerns: [] },
  confirm: false,
  access: 'console',
  errors: ['not_found'],
  async run({ hosts }, { id }, { record, concerns }) {
    concerns({ target: targetOf(id) });
    return tokenView(await hosts.revokeEnrolment(id, record()));
  },
});

const approveInput = z.object({
  code: z.string().optional().meta({ description: 'Code that the machine shows' }),
  host: z.string().optional().meta({ description: 'Instead of a code: a pending host, by id or name' }),
  tier: z.string().optional().meta({ description: 'Tier of its Macs; without it the machine becomes a pending host' }),
  slots: count.optional().meta({ description: 'Macs that the host may have at a time (with a code; default: 2)' }),
  name: z.string().optional().meta({ description: "With a code; default: the machine's name" }),
  labels,
});

export const approveHost = operation<{ readonly hosts: Pick<Hosts, 'approveCode' | 'approveHost'> }>()({
  name: 'host.approve',
  summary: 'Approve a machine that shows a code, or a pending host',
  input: approveInput,
  output: z.object(hostFieldsShape).meta({ id: 'ApprovedHost' }),
  audit: { name: 'host.approve', concerns: [] },
  confirm: true,
  access: 'console',
  errors: ['invalid_request', 'invalid_tier', 'host_not_found', 'host_state'],
  async run({ hosts }, { code, host, tier, slots, name, labels }, { by, record, concerns }) {
    concerns({ target: targetOf(code ?? host) });
    const done = record(({ hostId }: { readonly hostId: string }) => ({ target: hostId }));
    if (code !== undefined && host === undefined) {
      return hostView(await hosts.approveCode(code, { tier, slots, name, labels }, done));
    }
    if (host === undefined || code !== undefined)
      throw invalid('code', fieldProblem('exactly_one', { names: 'code, host' }));
    if (slots !== undefined || name !== undefined || labels !== undefined) {
      const message = `No machine waits with the code ${host}. slots, name and labels of a host that exists are changed with host.set.`;
      throw new ApiError('host_not_found', { message });
    }
    return hostView(await hosts.approveHost(host, { tier, by }, done));
  },
});

export const enrollmentOperations = [enrollHost, revokeToken, approveHost];
