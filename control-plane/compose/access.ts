// Accounts, people, keys and sessions.
import { createUsageNow } from '../access/app/account-usage.js';
import { createApiKeys } from '../access/app/api-keys.js';
import { type AuditLog, createAuditLog } from '../access/app/audit-log.js';
import { createConfirmWays, openWays } from '../access/app/confirm-ways.js';
import { createFirstOwner } from '../access/app/first-owner.js';
import { createIdentities } from '../access/app/identities.js';
import { createIdentityFlow } from '../access/app/identity-flow.js';
import { createInviteAcceptance } from '../access/app/invite-acceptance.js';
import { createInvites } from '../access/app/invites.js';
import { createLeakedKeys } from '../access/app/leaked-keys.js';
import { createMembers } from '../access/app/members.js';
import { createNotices } from '../access/app/notices.js';
import { createOrganizations } from '../access/app/organizations.js';
import { createOwnSessions } from '../access/app/own-sessions.js';
import { createPasskeys } from '../access/app/passkeys.js';
import { createPasswordResets } from '../access/app/password-resets.js';
import { createPasswords } from '../access/app/passwords.js';
import { createProfiles } from '../access/app/profiles.js';
import { createSecondFactors } from '../access/app/second-factors.js';
import { createSecondStep, createSecondStepTickets, type SecondStepTickets } from '../access/app/second-step.js';
import { createSessionConfirmation } from '../access/app/session-confirmation.js';
import { createSessions, type Sessions } from '../access/app/sessions.js';
import { createStorageQuota } from '../access/app/storage-quota.js';
import { createUsers } from '../access/app/users.js';
import { createWorkspaces } from '../access/app/workspaces.js';
import { createAccountRoutes } from '../access/http/api-account.js';
import { createApiKeyRoutes } from '../access/http/console-api-keys.js';
import { createAuditRoutes } from '../access/http/console-audit.js';
import { createFirstOwnerRoutes } from '../access/http/console-first-owner.js';
import { createIdentityRoutes } from '../access/http/console-identity.js';
import { createInviteAcceptRoutes } from '../access/http/console-invite-accept.js';
import { createInviteRoutes } from '../access/http/console-invites.js';
import { createLeakedKeyRoutes } from '../access/http/console-leaked-keys.js';
import { createMemberRoutes } from '../access/http/console-members.js';
import { createNoticeRoutes } from '../access/http/console-notices.js';
import { createPasskeySignInRoutes } from '../access/http/console-passkey-sign-in.js';
import { createPasskeyRoutes } from '../access/http/console-passkeys.js';
import { createPasswordResetRoutes } from '../access/http/console-password-reset.js';
import { createProfileRoutes } from '../access/http/console-profile.js';
import { createSecondFactorRoutes } from '../access/http/console-second-factors.js';
import { createSecondStepRoutes } from '../access/http/console-second-step.js';
import { createSessionRoutes } from '../access/http/console-session.js';
import { createSessionAnswer } from '../access/http/console-session-answer.js';
import { createSessionConfirmRoutes } from '../access/http/console-session-confirm.js';
import { createIdentitySignInRoutes } from '../access/http/console-session-provider.js';
import { createOwnSessionRoutes } from '../access/http/console-sessions.js';
import { createWorkspaceRoutes } from '../access/http/console-workspaces.js';
import { createPasswordResetThrottle } from '../access/http/password-reset-throttle.js';
import { createSessionCookie } from '../access/http/session-cookie.js';
import { createSessionView } from '../access/http/session-view.js';
import { createSignInThrottle } from '../access/http/sign-in-throttle.js';
import { createIdentityProvider } from '../access/outbound/identity-provider.js';
import { createSecretScanningKeys } from '../access/outbound/secret-scanning-keys.js';
import { shiftSignIns } from '../access/store/open-spans.js';
import { accessWorkers } from '../access/workers/table.js';
import { unfinishedBuilds } from '../builds/app/build-lookup.js';
import type { Vault } from '../platform/app/vault.js';
import type { SignedIn } from '../platform/domain/person.js';
import { createSmtp } from '../platform/outbound/mail.js';
import { countHeldSlots } from '../renting/store/slot-use.js';
import type { Base } from './platform.js';

/**
 * @param base without a vault in commands that run beside the service, which send no mails and where nobody signs in
 */
export function composeAccess(base: Base & { readonly vault?: Vault }) {
  const { config, clock, limits, log, ports, vault } = base;
  const auditLog = createAuditLog(base);
  const heldSlots = (accountId: number) => countHeldSlots(base.store, accountId);
  const usageNow = createUsageNow({ ...base, heldSlots });
  const organizations = createOrganizations(base);
  const passwords = createPasswords(limits, ports.passwordCost);
  const factors = createSecondFactors(base);
  const tickets = vault && createSecondStepTickets({ ...base, vault, factors });
  const sessions = createSessions({
    ...base,
    passwords,
    secondStep: async (db, user, passwordHash) => {
      if (!tickets) throw new Error('nobody can sign in beside the service');
      return tickets.needed(db, user, passwordHash);
    },
  });
  const passkeys = vault && createPasskeys({ ...base, vault, sessions });
  const identities = vault && tickets && composeIdentities({ ...base, vault }, { auditLog, tickets, sessions });
  const ways = createConfirmWays({ ...base, passwords, factors, passkeys, identities });
  const confirm = createSessionConfirmation({ ...base, ways });
  const firstOwner = createFirstOwner({ ...base, passwords, sessions, organizations });
  const apiKeys = createApiKeys(base);
  const workspaces = createWorkspaces({ ...base, unfinishedBuilds });
  const scanningKeys = createSecretScanningKeys(config.secretScanningKeysUrl, clock);
  const leakedKeys = createLeakedKeys({ ...base, auditLog, scanningKeys, notices: base, log });
  const cookie = createSessionCookie(base.siteUrl);
  const confirmWays = (person: SignedIn) => openWays(ways, person);
  const notices = createNotices(base);
  const ofService = { mail: base.mail !== false, codeHost: config.codeHosts.default };
  const view = createSessionView({ ...base, ...ofService, sessions, notices, confirmWays });
  const sessionAnswer = createSessionAnswer({ view, cookie, limits });
  const throttle = createSignInThrottle({ ...base, sessions });
  const members = createMembers({ ...base, notices: base });
  const invites = createInvites({ ...base, notices: base });
  const acceptance = createInviteAcceptance({ ...base, passwords, factors, identities, sessions, notices: base });
  const resets = createPasswordResets({ ...base, passwords, notices: base });
  const { mail } = config;
  const sendMail =
    ports.sendMail ?? (mail && createSmtp({ url: mail.smtpUrl, from: mail.from, timeoutMs: limits.mail_timeout_ms }));
  return {
    quota: createStorageQuota({ ...base, shared: base.shared?.counts }),
    usageNow,
    organizations,
    workspaces,
    members,
    invites,
    sessions,
    resets,
    firstOwner,
    apiKeys,
    cookie,
    auditLog,
    users: createUsers({ ...base, passwords }),
    factors,
    apiRoutes: createAccountRoutes({ ...base, usageNow }),
    consoleRoutes: [
      ...createSessionRoutes({ sessions, cookie, throttle, sessionAnswer, view }),
      ...(tickets
        ? createSecondStepRoutes({
            secondStep: createSecondStep({ ...base, tickets, factors, sessions }),
            sessions,
            cookie,
            throttle,
            sessionAnswer,
          })
        : []),
      ...(passkeys && identities
        ? [
            ...createIdentitySignInRoutes({ identities, sessions, cookie, throttle, sessionAnswer }),
            ...createIdentityRoutes({ identities, throttle }),
            ...createPasskeySignInRoutes({ passkeys, identities, sessions, cookie, throttle, sessionAnswer }),
            ...createPasskeyRoutes({ passkeys, throttle, limits }),
          ]
        : []),
      ...createSecondFactorRoutes({ factors, throttle }),
      ...createSessionConfirmRoutes({ confirm, throttle, limits }),
      ...createFirstOwnerRoutes({ firstOwner, sessionAnswer, limits }),
      ...createPasswordResetRoutes({
        resets,
        sessions,
        requests: createPasswordResetThrottle(base.rateLimits, limits),
        throttle,
        limits,
      }),
      ...createProfileRoutes({ profiles: createProfiles(base), view, limits }),
      ...createOwnSessionRoutes({ ownSessions: createOwnSessions(base) }),
      ...createMemberRoutes({ members, limits }),
      ...createInviteRoutes({ invites }),
      ...createInviteAcceptRoutes({
        acceptance,
        sessions,
        cookie,
        throttle,
        sessionAnswer,
        view,
        limits,
      }),
      ...createApiKeyRoutes({ apiKeys, clock, limits }),
      ...createAuditRoutes({ auditLog, limits }),
      ...createWorkspaceRoutes({ workspaces }),
      ...createNoticeRoutes({ notices, limits }),
      ...createLeakedKeyRoutes({ leakedKeys }),
    ],
    shiftSpans: shiftSignIns,
    workers: accessWorkers({ ...base, mail: sendMail && vault ? { send: sendMail, vault } : null }),
    async close() {
      await apiKeys.close();
      await sessions.close();
      await resets.close();
      await auditLog.close();
    },
  };
}

function composeIdentities(
  base: Base & { readonly vault: Vault },
  {
    auditLog,
    tickets,
    sessions,
  }: { readonly auditLog: AuditLog; readonly tickets: SecondStepTickets; readonly sessions: Sessions },
) {
  const { config, limits, siteUrl } = base;
  const redirectUri = `${siteUrl}/sign-in/provider`;
  const timeoutMs = limits.identity_provider_timeout_ms;
  const provider = config.identity && createIdentityProvider(config.identity, { ...base, redirectUri, timeoutMs });
  const flow = createIdentityFlow({ ...base, provider, allowedDomains: config.identity?.allowedDomains ?? [] });
  return createIdentities({ ...base, auditLog, sessions, flow, secondStep: tickets.needed });
}
