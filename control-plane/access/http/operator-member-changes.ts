// Changes of members and invitations by operators, also for an organization without an owner, in which nobody else can make one.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { roles } from '../../platform/domain/role.js';
import { operation } from '../../platform/http/operation.js';
import { time } from '../../platform/http/values.js';
import type { Invite, Invites } from '../app/invites.js';
import type { Members } from '../app/members.js';
import type { Organizations } from '../app/organizations.js';
import type { Member } from '../domain/member.js';
import { memberShape, memberView } from './member-view.js';
import { organizationOf, orgField } from './organization-view.js';

interface Deps {
  readonly members: Members;
  readonly invites: Invites;
  readonly organizations: Organizations;
}

const email = z.string().meta({ description: 'Address of the person' });
const workspaces = z.array(z.string()).optional();
const targetOfMember = ({ userId }: Member) => ({ target: userId });

export const inviteMember = operation<Deps>()({
  name: 'member.invite',
  summary: 'Invite a person; the address to accept it is in the answer, and mailed',
  input: z.object({
    org: orgField,
    email,
    role: z.enum(roles).default('developer').meta({ description: 'Role in the organization' }),
    workspaces: workspaces.meta({
      description: "Workspaces that a developer sees; default: the organization's first one",
    }),
  }),
  output: z.object({ id: z.string(), email: z.string(), accept_url: z.string(), expires_at: time }),
  audit: { name: 'invite.create', concerns: ['invites', 'members', 'workspaces'] },
  confirm: true,
  access: 'console',
  errors: ['not_found', 'invalid_request', 'invites_limit', 'rate_limited'],
  async run(deps, { org, email, role, workspaces }, context) {
    const { id } = await organizationOf(deps, org, context);
    const invite = await deps.invites.create(
      id,
      { email, role, workspaceIds: workspaces },
      'operator',
      context.record<Invite>(({ inviteId }) => ({ target: inviteId })),
    );
    return {
      id: invite.inviteId,
      email: invite.email,
      accept_url: invite.acceptUrl,
      expires_at: new Date(invite.expiresAt).toISOString(),
    };
  },
});

export const setMember = operation<Deps>()({
  name: 'member.set',
  summary: 'Change the role of a member, or the workspaces that a developer sees',
  input: z.object({
    org: orgField,
    email,
    role: z.enum(roles).optional().meta({ description: 'New role' }),
    workspaces: workspaces.meta({ description: 'Ids; empty: none' }),
  }),
  output: memberShape,
  audit: { name: 'member.change', concerns: ['members', 'workspaces'] },
  confirm: true,
  access: 'token',
  errors: ['not_found', 'invalid_request', 'last_owner'],
  async run(deps, { org, email, role, workspaces }, context) {
    if (role === undefined && workspaces === undefined) {
      throw fieldError('invalid_request', 'role', fieldProblem('one_of_needed', { names: 'role, workspaces' }));
    }
    const { id } = await organizationOf(deps, org, context);
    const found = await deps.members.find(id, email);
    const change = { role, workspaceIds: workspaces };
    return memberView(await deps.members.change(found, change, 'operator', context.record(targetOfMember)));
  },
});

export const removeMember = operation<Deps>()({
  name: 'member.remove',
  summary: 'Remove a member, who loses access at once; keys they created stay',
  input: z.object({ org: orgField, email }),
  output: memberShape.extend({ removed: z.literal(true) }).meta({ id: 'RemovedMember' }),
  audit: { name: 'member.remove', concerns: ['members', 'workspaces'] },
  confirm: true,
  access: 'token',
  errors: ['not_found', 'last_owner'],
  async run(deps, { org, email }, context) {
    const { id } = await organizationOf(deps, org, context);
    const found = await deps.members.find(id, email);
    await deps.members.remove(found, 'operator', context.record(targetOfMember));
    return { ...memberView(found), removed: true as const };
  },
});

export const memberOperations = [inviteMember, setMember, removeMember];
