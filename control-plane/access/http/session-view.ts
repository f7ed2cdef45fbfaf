import { z } from 'zod';
import { languages } from '../../../shared/language.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SignedIn } from '../../platform/domain/person.js';
import { roles } from '../../platform/domain/role.js';
import { count } from '../../platform/http/values.js';
import { type ConfirmWayName, confirmWayNames } from '../app/confirm-ways.js';
import type { Memberships } from '../app/memberships.js';
import type { Notices } from '../app/notices.js';

export type SessionView = (person: SignedIn) => Promise<z.infer<typeof sessionShape>>;

const limitsShape = z
  .object({
    invite_s: count,
    build_link_s: count,
    topup_s: count,
    topup_withdraw_s: count,
    order_hold_s: count,
    extension_deadline_s: count,
    mac_states_kept_s: count,
    session_confirm_s: count,
    enrolment_s: count,
    password_chars_min: count,
    secret_bytes: count,
    webhook_redeliveries: count,
  })
  .meta({ description: 'Settings of the service that pages mention' });

export const sessionShape = z
  .object({
    user: z.object({
      id: z.string(),
      email: z.string(),
      name: z.string().nullable(),
      language: z.enum(languages).nullable().meta({ description: 'Null: not known yet' }),
      operator: z.boolean(),
      confirm_ways: z
        .array(z.enum(confirmWayNames))
        .meta({ description: 'Ways to confirm again who the person is, in order of preference' }),
    }),
    organizations: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        slug: z.string(),
        role: z.enum(roles),
        status: z.string(),
        payments_blocked: z.boolean(),
        unread_notices: count.meta({ description: 'Of the person who asks; counted up to 100' }),
        workspaces: z.array(z.object({ id: z.string(), name: z.string() })),
      }),
    ),
    limits: limitsShape,
    code_host: z.string().meta({ description: 'Root address of the host on which `repo` of a build lies' }),
    sends_mail: z.boolean().meta({ description: 'Whether the service sends e-mail' }),
    expires_at: z.string(),
    /** The server's time. */
    now: z.string(),
  })
  .meta({ id: 'Session' });

const seconds = (ms: number) => Math.round(ms / 1_000);

/** Returns a function that reads the organizations of a person and returns the session as JSON. */
export function createSessionView({
  sessions,
  notices,
  confirmWays,
  clock,
  limits,
  mail,
  codeHost,
}: {
  readonly sessions: Pick<Memberships, 'organizations'>;
  readonly notices: Pick<Notices, 'unread'>;
  confirmWays(person: SignedIn): Promise<readonly ConfirmWayName[]>;
  readonly clock: { now(): number };
  readonly limits: Limits;
  /** Whether the service sends e-mail. */
  readonly mail: boolean;
  readonly codeHost: string;
}): SessionView {
  const ofService = {
    invite_s: seconds(limits.invite_ms),
    build_link_s: seconds(limits.build_link_ms),
    topup_s: seconds(limits.topup_ms),
    topup_withdraw_s: seconds(limits.topup_withdraw_ms),
    order_hold_s: seconds(limits.pay_link_ms),
    extension_deadline_s: seconds(limits.extension_deadline_ms),
    mac_states_kept_s: seconds(limits.mac_states_kept_ms),
    session_confirm_s: seconds(limits.session_confirm_ms),
    enrolment_s: seconds(limits.enrolment_ms),
    password_chars_min: limits.password_chars_min,
    secret_bytes: limits.secret_bytes,
    webhook_redeliveries: limits.webhook_redeliveries,
  };
  const organizationsOf = async ({ userId }: SignedIn) => {
    const found = await sessions.organizations(userId);
    return Promise.all(
      found.map(async ({ account, role, workspaces }) => ({
        id: account.orgId,
        name: account.name,
        slug: account.slug,
        role,
        status: account.status,
        payments_blocked: account.paymentsBlocked,
        unread_notices: await notices.unread({ accountId: account.id, userId }),
        workspaces: workspaces.map(({ workspaceId, name }) => ({ id: workspaceId, name })),
      })),
    );
  };
  return async (person) => ({
    user: {
      id: person.userId,
      email: person.email,
      name: person.name,
      language: person.language,
      operator: person.operator,
      confirm_ways: [...(await confirmWays(person))],
    },
    organizations: await organizationsOf(person),
    limits: ofService,
    code_host: codeHost,
    sends_mail: mail,
    expires_at: new Date(person.expiresAt).toISOString(),
    now: new Date(clock.now()).toISOString(),
  });
}
