import { z } from 'zod';
import { roles } from '../../platform/domain/role.js';
import { time } from '../../platform/http/values.js';
import type { Member } from '../domain/member.js';

export const memberShape = z
  .object({
    user_id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    role: z.enum(roles),
    workspace_ids: z
      .array(z.string())
      .meta({ description: 'Workspaces that the member sees: all, for owners and admins' }),
    joined_at: time,
  })
  .meta({ id: 'Member' });

export const memberView = (member: Member): z.infer<typeof memberShape> => ({
  user_id: member.userId,
  email: member.email,
  name: member.name,
  role: member.role,
  workspace_ids: [...member.workspaceIds],
  joined_at: new Date(member.joinedAt).toISOString(),
});
