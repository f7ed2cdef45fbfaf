import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { roles } from '../../platform/domain/role.js';
import { count, time } from '../../platform/http/values.js';
import type { OpenInvite } from '../app/invite-acceptance.js';
import type { Invite } from '../domain/invite.js';

export const inviteShape = z
  .object({
    id: z.string(),
    email: z.string(),
    role: z.enum(roles),
    workspace_ids: z.array(z.string()).optional().meta({ description: 'Workspaces that the developer will see' }),
    invited_by: z.string().optional().meta({ description: 'User id; missing: an operator of the service' }),
    invited_by_email: z.string().optional(),
    expires_at: time,
    created_at: time,
  })
  .meta({ id: 'Invite' });

export const inviteView = (invite: Invite, inviterEmail: string | null): z.infer<typeof inviteShape> => ({
  id: invite.inviteId,
  email: invite.email,
  role: invite.role,
  ...(invite.role === 'developer' ? { workspace_ids: [...invite.workspaceIds] } : {}),
  ...(invite.invitedBy === null ? {} : { invited_by: invite.invitedBy }),
  ...(inviterEmail === null ? {} : { invited_by_email: inviterEmail }),
  expires_at: new Date(invite.expiresAt).toISOString(),
  created_at: new Date(invite.createdAt).toISOString(),
});

export const openInviteShape = z
  .object({
    organization: z.object({ name: z.string(), slug: z.string() }),
    email: z.string(),
    role: z.enum(roles),
    invited_by: z.string().nullable().meta({ description: 'E-mail address; null: an operator' }),
    expires_at: time,
    known: z.boolean().meta({ description: 'The person has an account, and signs in with its password' }),
    password_chars_min: count.meta({ description: 'Shortest password of a new account' }),
  })
  .meta({ id: 'OpenInvite' });

export const openInviteView = (
  open: OpenInvite,
  limits: Pick<Limits, 'password_chars_min'>,
): z.infer<typeof openInviteShape> => ({
  organization: { name: open.organization.name, slug: open.organization.slug },
  email: open.invite.email,
  role: open.invite.role,
  invited_by: open.invitedBy,
  expires_at: new Date(open.invite.expiresAt).toISOString(),
  known: open.known,
  password_chars_min: limits.password_chars_min,
});
