// Changes of people by operators.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { roles } from '../../platform/domain/role.js';
import { operation } from '../../platform/http/operation.js';
import { time } from '../../platform/http/values.js';
import type { Members } from '../app/members.js';
import type { Organizations } from '../app/organizations.js';
import type { PasswordResets, ResetLink } from '../app/password-resets.js';
import type { SecondFactors } from '../app/second-factors.js';
import type { Users } from '../app/users.js';
import type { Member } from '../domain/member.js';
import { organizationOf, orgField } from './organization-view.js';

interface Deps {
  readonly users: Users;
  readonly factors: Pick<SecondFactors, 'removeOf'>;
  readonly resets: Pick<PasswordResets, 'issueTo'>;
  readonly members: Members;
  readonly organizations: Organizations;
}

const personShape = z.object({ user_id: z.string(), email: z.string() });
const password = z.string().meta({ description: 'The password' });

export const createUser = operation<Deps>()({
  name: 'user.create',
  summary: 'Create a user',
  input: z.object({
    email: z.string().meta({ description: 'Address with which the person signs in' }),
    password,
    name: z.string().optional().meta({ description: 'Name of the person' }),
    org: orgField.optional().meta({ description: 'Organization of which the person becomes a member' }),
    role: z.enum(roles).default('developer').meta({ description: 'Role in that organization' }),
    workspaces: z
      .array(z.string())
      .optional()
      .meta({ description: "Workspaces that a developer sees; default: the organization's first one" }),
    operator: z
      .boolean()
      .default(false)
      .meta({ description: 'The person runs the service: sees hosts and every organization' }),
  }),
  output: personShape,
  audit: { name: 'user.create', concerns: ['members'] },
  confirm: true,
  access: 'token',
  errors: ['not_found', 'invalid_request'],
  confidential: true,
  async run(deps, { email, password, name, org, role, workspaces, operator }, context) {
    if (workspaces && org === undefined) {
      throw fieldError('invalid_request', 'workspaces', fieldProblem('needs_other', { other: 'org' }));
    }
    const account = org === undefined ? null : await organizationOf(deps, org, context);
    const membership = account ? { accountId: account.id, role, workspaceIds: workspaces } : undefined;
    const made = await deps.users.create(
      { email, password, name, operator, membership },
      context.record<{ userId: string }>(({ userId }) => ({ target: userId })),
    );
    return { user_id: made.userId, email: made.email };
  },
});

export const setPassword = operation<Deps>()({
  name: 'user.set-password',
  summary: 'Set a new password of a person; their sessions end',
  input: z.object({ email: z.string().meta({ description: 'Address of the person' }), password }),
  output: personShape,
  audit: { name: 'user.set_password', concerns: ['members'] },
  confirm: true,
  access: 'token',
  errors: ['not_found', 'invalid_request'],
  confidential: true,
  async run({ users }, { email, password }, { record }) {
    const person = await users.setPassword(
      email,
      password,
      record<{ userId: string }>(({ userId }) => ({ target: userId })),
    );
    return { user_id: person.userId, email: person.email };
  },
});

const email = z.string().meta({ description: 'Address of the person' });

export const resetPassword = operation<Deps>()({
  name: 'user.reset-password',
  summary: 'Create a link with which a person chooses a new password; only this answer shows it',
  input: z.object({ email }),
  output: personShape.extend({ reset_url: z.string(), expires_at: time }),
  audit: { name: 'user.create_password_reset', concerns: ['members'] },
  confirm: true,
  access: 'token',
  errors: ['not_found'],
  async run({ resets }, { email }, { record }) {
    const link: ResetLink = await resets.issueTo(
      email,
      record<{ userId: string }>(({ userId }) => ({ target: userId })),
    );
    const { user, resetUrl, expiresAt } = link;
    const expires_at = new Date(expiresAt).toISOString();
    return { user_id: user.userId, email: user.email, reset_url: resetUrl, expires_at };
  },
});

export const endSessions = operation<Deps>()({
  name: 'user.end-sessions',
  summary: 'End all sessions of a person, who has to sign in again',
  input: z.object({ email }),
  output: personShape.extend({ ended: z.int().meta({ description: 'Number of sessions' }) }),
  audit: { name: 'user.end_sessions', concerns: ['members'] },
  confirm: false,
  access: 'console',
  errors: ['not_found'],
  async run({ users }, { email }, { record }) {
    const { user, count } = await users.endSessions(
      email,
      record<{ userId: string }>(({ userId }) => ({ target: userId })),
    );
    return { user_id: user.userId, email: user.email, ended: count };
  },
});

export const setWorkspaces = operation<Deps>()({
  name: 'user.set-workspaces',
  summary: 'Set the workspaces that a developer sees; owners and admins see all',
  input: z.object({
    email: z.string().meta({ description: 'Address of the developer' }),
    org: orgField,
    workspaces: z.array(z.string()).meta({ description: 'Ids; empty: none' }),
  }),
  output: personShape.extend({ workspace_ids: z.array(z.string()) }),
  audit: { name: 'user.set_workspaces', concerns: ['members'] },
  confirm: false,
  access: 'token',
  errors: ['not_found', 'invalid_request'],
  async run(deps, { email, org, workspaces }, context) {
    const { id } = await organizationOf(deps, org, context);
    const member = await deps.members.find(id, email);
    const person = await deps.members.change(
      member,
      { workspaceIds: workspaces },
      'operator',
      context.record<Member>(({ userId }) => ({ target: userId })),
    );
    return { user_id: person.userId, email: person.email, workspace_ids: workspaces };
  },
});

export const removeSecondFactors = operation<Deps>()({
  name: 'user.remove-second-factors',
  summary: 'Turn off two-step sign-in of a person who has lost the app and the recovery codes; they get a mail',
  input: z.object({ email: z.string().meta({ description: 'Address of the person' }) }),
  output: personShape.extend({
    removed: z.boolean().meta({ description: 'False: two-step sign-in was off' }),
  }),
  audit: { name: 'user.remove_second_factors', concerns: ['members'] },
  confirm: true,
  // The password alone is enough afterwards, so the session of an operator must not do it.
  access: 'token',
  errors: ['not_found'],
  async run({ factors }, { email }, { record }) {
    const { user, removed } = await factors.removeOf(
      email,
      record<{ userId: string }>(({ userId }) => ({ target: userId })),
    );
    return { user_id: user.userId, email: user.email, removed };
  },
});

export const userOperations = [createUser, setPassword, resetPassword, endSessions, setWorkspaces, removeSecondFactors];
