// Enrollment tokens, and machines that wait for approval, as operators see them.
import { z } from 'zod';
import { isoTime } from '../../platform/domain/iso-time.js';
import { count, time } from '../../platform/http/values.js';
import type { Approval } from '../app/approvals.js';
import type { EnrolmentToken } from '../app/enrolments.js';

export const tokenShape = z
  .object({
    id: z.string(),
    state: z.enum(['valid', 'used up', 'revoked']),
    reusable: z.boolean(),
    uses: count.meta({ description: 'How many hosts it enrolls' }),
    used: count,
    name: z.string().nullable(),
    tier: z.string().nullable(),
    slots: count,
    labels: z.record(z.string(), z.string()),
    expires_at: time.nullable(),
    revoked_at: time.nullable(),
  })
  .meta({ id: 'EnrollmentToken', description: 'Without its secret, which is shown once' });

export const approvalShape = z
  .object({
    code: z.string().meta({ description: 'The machine shows it' }),
    name: z.string(),
    ip: z.string(),
    chip: z.string(),
    os: z.string(),
    agent_version: z.string(),
    expires_at: time.nullable(),
  })
  .meta({ id: 'WaitingMachine', description: 'A machine that waits for approval' });

export function stateOfToken({ revokedAt, used, uses }: EnrolmentToken): 'revoked' | 'used up' | 'valid' {
  if (revokedAt !== null) return 'revoked';
  return used < uses ? 'valid' : 'used up';
}

export const tokenView = (one: EnrolmentToken) => ({
  id: one.enrolmentId,
  state: stateOfToken(one),
  reusable: one.reusable,
  uses: one.uses,
  used: one.used,
  name: one.name,
  tier: one.tier,
  slots: one.slots,
  labels: one.labels,
  expires_at: isoTime(one.expiresAt),
  revoked_at: isoTime(one.revokedAt),
});

export const approvalView = (one: Approval) => ({
  code: one.code,
  name: one.name,
  ip: one.ip,
  chip: one.chip,
  os: one.os,
  agent_version: one.agentVersion,
  expires_at: isoTime(one.expiresAt),
});
