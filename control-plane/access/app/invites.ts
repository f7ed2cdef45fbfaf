// Invitations: created by owners, admins and operators, accepted with the token of the link.

import { countOf } from '../../../shared/count.js';
import type { Language } from '../../../shared/language.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Vault } from '../../platform/app/vault.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import { type Role, seesAllWorkspaces } from '../../platform/domain/role.js';
import { insertMail, mailContext } from '../../platform/store/mails.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Invite } from '../domain/invite.js';
import { inviteMail } from '../domain/invite-mail.js';
import { mayChangeRole } from '../domain/member.js';
import { createToken, hashToken } from '../domain/session.js';
import {
  closeInvite,
  closeInvitesOf,
  insertInvite,
  type ListedInvite,
  listOpenInvites,
  recentInvites,
} from '../store/invites.js';
import { getOrganization } from '../store/organizations.js';
import { findUserByEmail, getUser } from '../store/users.js';
import { administratorOf, type By, checkedWorkspaces, isMember, seesAll } from './members.js';
import { type NotifyDeps, oneLine } from './notices.js';
import { checkedEmail } from './users.js';

export type { Invite };

export interface NewInvite {
  readonly email: string;
  readonly role: Role;
  /** Of a developer. Default: the account's first workspace. */
  readonly workspaceIds?: readonly string[] | undefined;
}

/** An invitation with its address, which is known only when it is created. */
export interface CreatedInvite extends Invite {
  readonly acceptUrl: string;
  /** Whether it is sent by mail. */
  readonly mailed: boolean;
}

/** Callbacks run in the transaction of the change. */
export interface Invites {
  /** Those that can be accepted, newest first. */
  list(accountId: number): Promise<ListedInvite[]>;
  /**
   * Creates an invitation, which replaces an open one of the same person, and sends it by mail if a mail server is
   * configured.
   *
   * @throws ApiError invalid_request for an invalid address, for a member and for a workspace of another organization;
   *   insufficient_permission; invites_limit; rate_limited
   */
  create(accountId: number, invite: NewInvite, by: By, created?: InTransaction<Invite>): Promise<CreatedInvite>;
  /** Throws not_found for an invitation that cannot be accepted anyway; insufficient_permission. */
  revoke(of: { accountId: number; inviteId: string }, by: By, revoked?: InTransaction): Promise<void>;
}

export interface InvitesDeps extends Pick<Core, 'store' | 'clock'> {
  readonly limits: Pick<Limits, 'invite_ms' | 'invites' | 'invites_per_day' | 'invites_per_day_email'>;
  readonly siteUrl: string;
  readonly notices: NotifyDeps;
  /** For the link in a mail. Undefined: invitations are not mailed. */
  readonly vault?: Pick<Vault, 'sealBytes'> | undefined;
}

const DAY_MS = 24 * 3_600_000;

export function createInvites(deps: InvitesDeps): Invites {
  const { store, clock, limits, siteUrl } = deps;

  /**
   * Counts only invitations of the organization: otherwise a refusal would reveal what other organizations do, and they
   * could cause it.
   */
  const checkRate = async (db: Queries, of: { accountId: number; email?: string }, most: number) => {
    const { count, oldest } = await recentInvites(db, of, clock.now() - DAY_MS);
    if (count < most || oldest === null) return;
    const retryAfterS = Math.max(1, Math.ceil((oldest + DAY_MS - clock.now()) / 1000));
    throw new ApiError('rate_limited', {
      message: `This organization made ${countOf(count, 'invitation')}${of.email === undefined ? '' : ` of ${of.email}`} in 24 hours; wait before the next one.`,
      retryAfterS,
    });
  };

  return {
    list: (accountId) => listOpenInvites(store, accountId, clock.now()),

    create: (accountId, { email: given, role, workspaceIds }, by, created) => {
      const email = checkedEmail(given);
      const token = createToken();
      return store.transaction(async (tx) => {
        const now = clock.now();
        const replaced = (await listOpenInvites(tx, accountId, now)).find((open) => open.email === email);
        if (!mayChangeRole(await administratorOf(tx, accountId, by), replaced?.role ?? null, role)) {
          throw new ApiError('insufficient_permission', {
            message: 'Only owners can invite owners, or replace such an invitation.',
          });
        }
        if (await isMember(tx, accountId, email)) throw alreadyMember(email);
        if (seesAllWorkspaces(role) && workspaceIds) throw seesAll(email);
        const visible = seesAllWorkspaces(role) ? [] : await checkedWorkspaces(tx, accountId, workspaceIds);
        await closeInvitesOf(tx, { accountId, email }, now);
        if ((await listOpenInvites(tx, accountId, now)).length >= limits.invites) {
          throw new ApiError('invites_limit', { detail: { limit: limits.invites } });
        }
        await checkRate(tx, { accountId }, limits.invites_per_day);
        await checkRate(tx, { accountId, email }, limits.invites_per_day_email);
        const invite = await insertInvite(tx, {
          inviteId: newId('inv'),
          accountId,
          email,
          role,
          workspaceIds: visible,
          invitedBy: by === 'operator' ? null : by.userId,
          expiresAt: now + limits.invite_ms,
          createdAt: now,
          tokenHash: hashToken(token),
        });
        const acceptUrl = `${siteUrl}/invite#${token}`;
        // Without a mail server, the inviting person passes the link on.
        const vault = deps.notices.mail === true ? deps.vault : undefined;
        if (vault) await mailInvite(tx, { ...deps.notices, vault }, invite, acceptUrl);
        await created?.(tx, invite);
        return { ...invite, acceptUrl, mailed: vault !== undefined };
      });
    },

    revoke: (of, by, revoked) =>
      store.transaction(async (tx) => {
        const administrator = await administratorOf(tx, of.accountId, by);
        const open = await listOpenInvites(tx, of.accountId, clock.now());
        const invite = open.find(({ inviteId }) => inviteId === of.inviteId);
        if (!invite) throw new ApiError('not_found');
        if (!mayChangeRole(administrator, null, invite.role)) throw new ApiError('insufficient_permission');
        await closeInvite(tx, of, clock.now());
        await revoked?.(tx);
      }),
  };
}

async function mailInvite(
  tx: Transaction,
  { wake, vault }: NotifyDeps & { vault: Pick<Vault, 'sealBytes'> },
  { accountId, email, role, createdAt: now, expiresAt, invitedBy }: Invite,
  acceptUrl: string,
): Promise<void> {
  const organization = (await getOrganization(tx, accountId))?.name ?? '';
  const language = await languageOfInvite(tx, email, invitedBy);
  const { subject, text } = inviteMail(language, { organization, role, acceptUrl, expiresAt });
  const mailId = newId('mail');
  // The token of the link is stored as a hash everywhere else, and a backup must not have it either.
  const sealed = vault.sealBytes(text, mailContext(mailId));
  await insertMail(tx, { mailId, recipient: email, subject: oneLine(subject), sealed, now });
  tx.onCommit(() => wake.wake('mails'));
}

/** Returns the language of the invited person, or of the one who invites if it is not known. */
async function languageOfInvite(db: Queries, email: string, invitedBy: string | null): Promise<Language> {
  const invited = await findUserByEmail(db, email);
  const inviter = invitedBy === null ? null : await getUser(db, invitedBy);
  return invited?.user.language ?? inviter?.language ?? 'en';
}

function alreadyMember(email: string): ApiError {
  return fieldError('invalid_request', 'email', fieldProblem('member_already', { email }));
}
