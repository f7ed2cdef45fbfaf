// Generated, do not edit: `npm run generate` makes this file from the reference that the service answers with.

import type {
  ApiKeyFilter,
  ApiKeyList,
  ArtifactAddress,
  AuditEntryFilter,
  AuditPage,
  BuildEventList,
  BuildLink,
  CreditBalance,
  CreditLedgerPage,
  ExchangeRate,
  FileFilter,
  FilePage,
  FirstOwnerState,
  GetReferenceQuery,
  Identity,
  IdentityProviderAnswer,
  IdentityProviderRequest,
  InviteList,
  LedgerFilter,
  LinkedIdentity,
  Located,
  LocateQuery,
  Member,
  MemberFilter,
  MemberList,
  NewApiKey,
  NewInvite,
  NewPasskeyCredential,
  NoticeFilter,
  NoticeList,
  OpenInvite,
  OpenPasswordReset,
  OrderPayment,
  OwnSessionList,
  Passkey,
  PasskeyList,
  PasskeyOptions,
  PasswordReset,
  PasswordResetState,
  PayPage,
  RecoveryCodes,
  SecondFactors,
  Session,
  SessionConfirmation,
  SharedArtifactFilter,
  SharedArtifacts,
  SharedBuild,
  SignedPasskeyChallenge,
  SignInWays,
  TopUp,
  TopUpDetail,
  TopUpFilter,
  TopUpPage,
  TopUpPayment,
  TotpSetup,
  Workspace,
  WorkspaceList,
} from '../types.js';
import type { Asked, SessionOperation } from './operation.js';

/** Sign in with e-mail and password; the session is a cookie. */
export const signIn: SessionOperation<(body: { email: string; password: string }) => Session> = {
  method: 'POST',
  path: '/v1/session',
  api: 'console',
  takes: ['body'],
};

/** The signed-in person and their organizations. */
export const getSession: SessionOperation<() => Session> = { method: 'GET', path: '/v1/session', api: 'console' };

/** Sign out. */
export const signOut: SessionOperation<() => void> = {
  method: 'DELETE',
  path: '/v1/session',
  api: 'console',
  answers: 'nothing',
};

/** Change the password; all sessions of the person end, and a new one starts. */
export const changePassword: SessionOperation<(body: { current: string; new: string }) => Session> = {
  method: 'POST',
  path: '/v1/session/password',
  api: 'console',
  takes: ['body'],
};

/** Sign in with a code, after the password was right. */
export const completeSignIn: SessionOperation<
  (body: {
    /** `details.second_step` of `second_factor_required`. */
    token: string;
    /** Of the authenticator app, or a recovery code. */
    code: string;
  }) => Session
> = { method: 'POST', path: '/v1/session/second-step', api: 'console', takes: ['body'] };

/** The address at the identity provider to send the person to, who comes back to `/sign-in/provider`. */
export const beginWithProvider: SessionOperation<
  (body: { purpose: 'sign-in' | 'invite' | 'confirm' | 'link' }) => IdentityProviderRequest
> = { method: 'POST', path: '/v1/session/provider/begin', api: 'console', takes: ['body'] };

/** Sign in with the answer of the identity provider; the session is a cookie. */
export const signInWithProvider: SessionOperation<(body: IdentityProviderAnswer) => Session> = {
  method: 'POST',
  path: '/v1/session/provider',
  api: 'console',
  takes: ['body'],
};

/** The account at the identity provider with which the signed-in person can sign in. */
export const getIdentity: SessionOperation<() => Identity> = { method: 'GET', path: '/v1/identity', api: 'console' };

/** Link an account at the identity provider, with which the person signs in from now on. */
export const linkIdentity: SessionOperation<(body: IdentityProviderAnswer) => LinkedIdentity> = {
  method: 'POST',
  path: '/v1/identity',
  api: 'console',
  takes: ['body'],
};

/** Remove the link; the account at the identity provider no longer signs in. */
export const unlinkIdentity: SessionOperation<() => void> = {
  method: 'DELETE',
  path: '/v1/identity',
  api: 'console',
  answers: 'nothing',
};

/** What the sign-in page offers besides the password. */
export const getSignInWays: SessionOperation<() => SignInWays> = {
  method: 'GET',
  path: '/v1/sign-in-ways',
  api: 'console',
};

/** What a browser needs to sign with a passkey; each challenge expires soon and is answered once. */
export const beginPasskeySignIn: SessionOperation<() => PasskeyOptions> = {
  method: 'POST',
  path: '/v1/session/passkey/options',
  api: 'console',
};

/** Sign in with a passkey alone; the session is a cookie. */
export const signInWithPasskey: SessionOperation<(body: { credential: SignedPasskeyChallenge }) => Session> = {
  method: 'POST',
  path: '/v1/session/passkey',
  api: 'console',
  takes: ['body'],
};

/** Passkeys of the signed-in person, the oldest first. */
export const listPasskeys: SessionOperation<() => PasskeyList> = {
  method: 'GET',
  path: '/v1/passkeys',
  api: 'console',
};

/** Register a passkey, with which the person signs in from now on. */
export const addPasskey: SessionOperation<(body: { name: string; credential: NewPasskeyCredential }) => Passkey> = {
  method: 'POST',
  path: '/v1/passkeys',
  api: 'console',
  takes: ['body'],
};

/** What a browser needs to make a passkey. */
export const beginPasskey: SessionOperation<() => PasskeyOptions> = {
  method: 'POST',
  path: '/v1/passkeys/options',
  api: 'console',
};

/** Rename a passkey. */
export const renamePasskey: SessionOperation<
  (
    passkeyId: string,
    body: {
      name: string;
    },
  ) => Passkey
> = { method: 'PATCH', path: '/v1/passkeys/{passkey_id}', api: 'console', takes: ['body'] };

/** Remove a passkey; it no longer signs in. */
export const removePasskey: SessionOperation<(passkeyId: string) => void> = {
  method: 'DELETE',
  path: '/v1/passkeys/{passkey_id}',
  api: 'console',
  answers: 'nothing',
};

/** Whether the signed-in person uses two-step sign-in. */
export const getSecondFactors: SessionOperation<() => SecondFactors> = {
  method: 'GET',
  path: '/v1/second-factors',
  api: 'console',
};

/** Create the secret of an authenticator app; repeated requests get the same one until it expires. */
export const setUpTotp: SessionOperation<() => TotpSetup> = {
  method: 'POST',
  path: '/v1/second-factors/totp',
  api: 'console',
};

/** Turn off two-step sign-in; the recovery codes are deleted. */
export const turnOffTotp: SessionOperation<() => void> = {
  method: 'DELETE',
  path: '/v1/second-factors/totp',
  api: 'console',
  answers: 'nothing',
};

/** Turn on two-step sign-in with a first code of the app; the response has the recovery codes. */
export const turnOnTotp: SessionOperation<(body: { code: string }) => RecoveryCodes> = {
  method: 'POST',
  path: '/v1/second-factors/totp/confirm',
  api: 'console',
  takes: ['body'],
};

/** Replace the recovery codes; the old ones no longer work. */
export const renewRecoveryCodes: SessionOperation<() => RecoveryCodes> = {
  method: 'POST',
  path: '/v1/second-factors/recovery-codes',
  api: 'console',
};

/**
 * Confirm again who you are, which payments, keys, people, secrets and dangerous commands of operators
 * require.
 */
export const confirmSession: SessionOperation<
  (body: {
    passkey?: SignedPasskeyChallenge;
    password?: string;
    provider?: IdentityProviderAnswer;
    /** Of the authenticator app, or a recovery code. */
    code?: string;
  }) => SessionConfirmation
> = { method: 'POST', path: '/v1/session/confirm', api: 'console', takes: ['body'] };

/** Whether the service waits for its first person, and what their password needs. */
export const getFirstOwner: SessionOperation<() => FirstOwnerState> = {
  method: 'GET',
  path: '/v1/first-owner',
  api: 'console',
};

/** Create the first person of an empty service with an organization, and sign in. */
export const createFirstOwner: SessionOperation<
  (body: { token: string; email: string; password: string; name?: string | null; organization: string }) => Session
> = { method: 'POST', path: '/v1/first-owner', api: 'console', takes: ['body'] };

/** Whether links for a new password are mailed, and what a password needs. */
export const getPasswordReset: SessionOperation<() => PasswordResetState> = {
  method: 'GET',
  path: '/v1/password-reset',
  api: 'console',
};

/** Choose a new password with the token of a link; all sessions of the person end. */
export const resetPassword: SessionOperation<(body: { token: string; password: string }) => PasswordReset> = {
  method: 'POST',
  path: '/v1/password-reset',
  api: 'console',
  takes: ['body'],
};

/** Mail a link for a new password, if a user has the address; the answer is the same for all addresses. */
export const requestPasswordReset: SessionOperation<(body: { email: string }) => void> = {
  method: 'POST',
  path: '/v1/password-reset/request',
  api: 'console',
  takes: ['body'],
  answers: 'nothing',
};

/** The person of a link for a new password; changes nothing. */
export const lookUpPasswordReset: SessionOperation<(body: { token: string }) => OpenPasswordReset> = {
  method: 'POST',
  path: '/v1/password-reset/lookup',
  api: 'console',
  takes: ['body'],
};

/** Change the name of the signed-in person, or the language of mails to them. */
export const changeProfile: SessionOperation<(body: { name?: string; language?: 'en' | 'ko' }) => Session> = {
  method: 'PATCH',
  path: '/v1/session/user',
  api: 'console',
  takes: ['body'],
};

/** Live sessions of the signed-in person, last used first. */
export const listSessions: SessionOperation<() => OwnSessionList> = {
  method: 'GET',
  path: '/v1/sessions',
  api: 'console',
};

/** End all sessions of the signed-in person but this one. */
export const endOtherSessions: SessionOperation<() => void> = {
  method: 'DELETE',
  path: '/v1/sessions',
  api: 'console',
  answers: 'nothing',
};

/** End a session of the signed-in person. */
export const endSession: SessionOperation<(sessionId: string) => void> = {
  method: 'DELETE',
  path: '/v1/sessions/{session_id}',
  api: 'console',
  answers: 'nothing',
};

/** Members of the organization, in the order in which they joined. */
export const listMembers: SessionOperation<(orgId: string, query?: Asked<MemberFilter>) => MemberList> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/members',
  api: 'console',
  takes: ['query'],
};

/** Change the role of a member, or the workspaces that a developer sees. */
export const changeMember: SessionOperation<
  (
    orgId: string,
    userId: string,
    body: {
      role?: 'owner' | 'admin' | 'developer';
      workspace_ids?: string[];
    },
  ) => Member
> = { method: 'PATCH', path: '/v1/organizations/{org_id}/members/{user_id}', api: 'console', takes: ['body'] };

/** Remove a member, or leave the organization; keys that they have created stay. */
export const removeMember: SessionOperation<(orgId: string, userId: string) => void> = {
  method: 'DELETE',
  path: '/v1/organizations/{org_id}/members/{user_id}',
  api: 'console',
  answers: 'nothing',
};

/** Invitations that have not been accepted and have not expired, newest first. */
export const listInvites: SessionOperation<(orgId: string) => InviteList> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/invites',
  api: 'console',
};

/**
 * Invite a person; an open invitation of the same address is replaced. accept_url is only in this
 * response.
 */
export const createInvite: SessionOperation<
  (
    orgId: string,
    body: {
      email: string;
      role: 'owner' | 'admin' | 'developer';
      workspace_ids?: string[];
    },
  ) => NewInvite
> = { method: 'POST', path: '/v1/organizations/{org_id}/invites', api: 'console', takes: ['body'] };

/** Revoke an invitation. */
export const revokeInvite: SessionOperation<(orgId: string, inviteId: string) => void> = {
  method: 'DELETE',
  path: '/v1/organizations/{org_id}/invites/{invite_id}',
  api: 'console',
  answers: 'nothing',
};

/** The open invitation of a token; changes nothing. */
export const lookUpInvite: SessionOperation<(body: { token: string }) => OpenInvite> = {
  method: 'POST',
  path: '/v1/invites/lookup',
  api: 'console',
  takes: ['body'],
};

/**
 * Accept an invitation: with a session, the password or the identity provider of the invited person,
 * or with name and password of a new one. Signs in.
 */
export const acceptInvite: SessionOperation<
  (body: { token: string; name?: string | null; password?: string; provider?: IdentityProviderAnswer }) => Session
> = { method: 'POST', path: '/v1/invites/accept', api: 'console', takes: ['body'] };

/** API keys of the organization, newest first, including revoked and expired ones. */
export const listApiKeys: SessionOperation<(orgId: string, query?: Asked<ApiKeyFilter>) => ApiKeyList> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/api-keys',
  api: 'console',
  takes: ['query'],
};

/** Create an API key; it is shown only in this response. */
export const createApiKey: SessionOperation<
  (
    orgId: string,
    body: {
      name: string;
      levels: ('read' | 'build' | 'manage')[];
      cidrs?: string[];
      expires_at?: string | null;
      workspace_id?: string | null;
    },
  ) => NewApiKey
> = { method: 'POST', path: '/v1/organizations/{org_id}/api-keys', api: 'console', takes: ['body'] };

/** Revoke a key immediately and permanently. */
export const revokeApiKey: SessionOperation<(orgId: string, keyId: string) => void> = {
  method: 'DELETE',
  path: '/v1/organizations/{org_id}/api-keys/{key_id}',
  api: 'console',
  answers: 'nothing',
};

/** Audit log of the organization, newest first; as a file with `format`. */
export const listAuditEntries: SessionOperation<(orgId: string, query?: Asked<AuditEntryFilter>) => AuditPage> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/audit',
  api: 'console',
  takes: ['query'],
};

/** Workspaces of the organization, oldest first. */
export const listWorkspaces: SessionOperation<(orgId: string) => WorkspaceList> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/workspaces',
  api: 'console',
};

/** Create a workspace. */
export const createWorkspace: SessionOperation<
  (
    orgId: string,
    body: {
      name: string;
    },
  ) => Workspace
> = { method: 'POST', path: '/v1/organizations/{org_id}/workspaces', api: 'console', takes: ['body'] };

/** Rename a workspace. */
export const renameWorkspace: SessionOperation<
  (
    orgId: string,
    workspaceId: string,
    body: {
      name: string;
    },
  ) => Workspace
> = { method: 'PATCH', path: '/v1/organizations/{org_id}/workspaces/{workspace_id}', api: 'console', takes: ['body'] };

/**
 * Remove a workspace without active keys and unfinished builds; owners and admins can still read its
 * builds.
 */
export const removeWorkspace: SessionOperation<(orgId: string, workspaceId: string) => void> = {
  method: 'DELETE',
  path: '/v1/organizations/{org_id}/workspaces/{workspace_id}',
  api: 'console',
  answers: 'nothing',
};

/** Notices to the organization, newest first. */
export const listNotices: SessionOperation<(orgId: string, query?: Asked<NoticeFilter>) => NoticeList> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/notices',
  api: 'console',
  takes: ['query'],
};

/** Mark the notice and all older ones as read by the person. */
export const markNoticeRead: SessionOperation<(orgId: string, noticeId: string) => void> = {
  method: 'POST',
  path: '/v1/organizations/{org_id}/notices/{notice_id}/read',
  api: 'console',
  answers: 'nothing',
};

/** Report leaked keys; each is revoked immediately. */
export const reportLeakedKey: SessionOperation<
  (body: unknown) =>
    | {
        token_hash: string;
        token_type: string;
        label: 'true_positive' | 'false_positive';
      }[]
    | {
        revoked: boolean;
      }
> = { method: 'POST', path: '/v1/leaked-keys', api: 'console', takes: ['body'] };

/** Uploads and artifacts, newest first. */
export const listFiles: SessionOperation<(query?: Asked<FileFilter>) => FilePage> = {
  method: 'GET',
  path: '/v1/files',
  api: 'console',
  takes: ['query'],
};

/** Delete an upload or artifact. An unfinished build must not use the upload. */
export const deleteFile: SessionOperation<(fileId: string) => void> = {
  method: 'DELETE',
  path: '/v1/files/{file_id}',
  api: 'console',
  answers: 'nothing',
};

/** A short-lived address of an artifact. No key is needed to fetch it. */
export const getArtifact: SessionOperation<(jobId: string, fileId: string) => ArtifactAddress> = {
  method: 'GET',
  path: '/v1/jobs/{job_id}/artifacts/{file_id}',
  api: 'console',
};

/** Artifacts, each as `<file_id> <size>\n<bytes>` or `<file_id> gone\n`. */
export const getArtifactContents: SessionOperation<
  (
    jobId: string,
    body: {
      file_ids: string[];
    },
  ) => Uint8Array
> = { method: 'POST', path: '/v1/jobs/{job_id}/artifacts/contents', api: 'console', takes: ['body'], answers: 'bytes' };

/** The bytes of an artifact. */
export const downloadArtifact: SessionOperation<(ticket: string) => Uint8Array> = {
  method: 'GET',
  path: '/v1/downloads/{ticket}',
  api: 'console',
  answers: 'bytes',
};

/** Create a link that shows a build to anybody who has the link, for a limited time. */
export const shareBuild: SessionOperation<(orgId: string, buildId: string) => BuildLink> = {
  method: 'POST',
  path: '/v1/organizations/{org_id}/builds/{build_id}/share',
  api: 'console',
};

/** Withdraw all links to a build. */
export const unshareBuild: SessionOperation<(orgId: string, buildId: string) => void> = {
  method: 'DELETE',
  path: '/v1/organizations/{org_id}/builds/{build_id}/share',
  api: 'console',
  answers: 'nothing',
};

/** The build of a link. */
export const getSharedBuild: SessionOperation<(token: string) => SharedBuild> = {
  method: 'GET',
  path: '/v1/shared/{token}',
  api: 'console',
};

/** The artifacts of the build of a link, newest first. */
export const listSharedArtifacts: SessionOperation<
  (token: string, query?: Asked<SharedArtifactFilter>) => SharedArtifacts
> = { method: 'GET', path: '/v1/shared/{token}/artifacts', api: 'console', takes: ['query'] };

/** An address from which an artifact of the build of a link can be fetched for a short time. */
export const getSharedArtifact: SessionOperation<(token: string, fileId: string) => ArtifactAddress> = {
  method: 'GET',
  path: '/v1/shared/{token}/artifacts/{file_id}',
  api: 'console',
};

/** An order as shown to its payer, with the text to agree to. */
export const getOrderToPay: SessionOperation<(orgId: string, orderNo: string) => PayPage> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/orders/{order_no}',
  api: 'console',
};

/** Agree and pay; with PortOne the response carries the parameters of its browser script. */
export const payOrder: SessionOperation<
  (
    orgId: string,
    orderNo: string,
    body: {
      consents?: {
        terms?: boolean;
        withdrawal?: boolean;
        version?: string;
      };
      method?: string;
      outcome?: 'paid' | 'declined' | 'abandoned';
    },
  ) => OrderPayment
> = { method: 'POST', path: '/v1/organizations/{org_id}/orders/{order_no}/pay', api: 'console', takes: ['body'] };

/** Agree and pay the whole order with the credit of the organization. */
export const payOrderWithCredit: SessionOperation<
  (
    orgId: string,
    orderNo: string,
    body: {
      consents?: {
        terms?: boolean;
        withdrawal?: boolean;
        version?: string;
      };
      /** The price that was shown. */
      price_micro_usd: number;
    },
  ) => OrderPayment
> = {
  method: 'POST',
  path: '/v1/organizations/{org_id}/orders/{order_no}/pay-with-credit',
  api: 'console',
  takes: ['body'],
};

/** Confirm after the browser step; idempotent. */
export const confirmOrder: SessionOperation<
  (
    orgId: string,
    orderNo: string,
    body: {
      payment_token?: string;
      tx_id?: string;
      outcome?: 'paid' | 'declined' | 'abandoned';
    },
  ) => OrderPayment
> = { method: 'POST', path: '/v1/organizations/{org_id}/orders/{order_no}/confirm', api: 'console', takes: ['body'] };

/** Cancel an unpaid order. */
export const cancelOrder: SessionOperation<(orgId: string, orderNo: string) => OrderPayment> = {
  method: 'POST',
  path: '/v1/organizations/{org_id}/orders/{order_no}/cancel',
  api: 'console',
};

/** Create a top-up at today's exchange rate; nothing is charged until a person pays it. */
export const createTopUp: SessionOperation<
  (
    orgId: string,
    body: {
      /** 1 to 10,000. */
      usd: number;
    },
  ) => TopUpPayment
> = { method: 'POST', path: '/v1/organizations/{org_id}/topups', api: 'console', takes: ['body'] };

/** Top-ups of the organization, newest first. */
export const listTopUps: SessionOperation<(orgId: string, query?: Asked<TopUpFilter>) => TopUpPage> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/topups',
  api: 'console',
  takes: ['query'],
};

/** A top-up as shown to its payer, with the text to agree to. */
export const getTopUp: SessionOperation<(orgId: string, orderId: string) => TopUpDetail> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/topups/{order_id}',
  api: 'console',
};

/** Refund a top-up or a part of it; its credit must not be spent. */
export const withdrawTopUp: SessionOperation<
  (
    orgId: string,
    orderId: string,
    body: {
      /** Default: all that has not been refunded. */
      krw?: number;
    },
  ) => TopUp
> = { method: 'POST', path: '/v1/organizations/{org_id}/topups/{order_id}/withdraw', api: 'console', takes: ['body'] };

/** Agree and pay; with PortOne the response carries the parameters of its browser script. */
export const payTopUp: SessionOperation<
  (
    orgId: string,
    orderId: string,
    body: {
      consents?: {
        terms?: boolean;
        withdrawal?: boolean;
        version?: string;
      };
      method?: string;
      outcome?: 'paid' | 'declined' | 'abandoned';
    },
  ) => TopUpPayment
> = { method: 'POST', path: '/v1/organizations/{org_id}/topups/{order_id}/pay', api: 'console', takes: ['body'] };

/** Confirm after the browser step; idempotent. */
export const confirmTopUp: SessionOperation<
  (
    orgId: string,
    orderId: string,
    body: {
      payment_token?: string;
      tx_id?: string;
      outcome?: 'paid' | 'declined' | 'abandoned';
    },
  ) => TopUpPayment
> = { method: 'POST', path: '/v1/organizations/{org_id}/topups/{order_id}/confirm', api: 'console', takes: ['body'] };

/** Cancel an unpaid top-up. */
export const cancelTopUp: SessionOperation<(orgId: string, orderId: string) => TopUpPayment> = {
  method: 'POST',
  path: '/v1/organizations/{org_id}/topups/{order_id}/cancel',
  api: 'console',
};

/** Credit of the organization. */
export const getCredit: SessionOperation<(orgId: string) => CreditBalance> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/credit',
  api: 'console',
};

/** What changed the credit of the organization, newest first. */
export const listLedger: SessionOperation<(orgId: string, query?: Asked<LedgerFilter>) => CreditLedgerPage> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/ledger',
  api: 'console',
  takes: ['query'],
};

/** The exchange rate that new top-ups get. */
export const getExchangeRate: SessionOperation<() => ExchangeRate> = {
  method: 'GET',
  path: '/v1/fx-rates/today',
  api: 'console',
};

/** The events of a build and their deliveries, in order. */
export const listBuildEvents: SessionOperation<(orgId: string, buildId: string) => BuildEventList> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/builds/{build_id}/events',
  api: 'console',
};

/** The organization of a build, rental or order that the person can see. */
export const locate: SessionOperation<(query: Asked<LocateQuery>) => Located> = {
  method: 'GET',
  path: '/v1/locate',
  api: 'console',
  takes: ['query'],
};

/** Changes, as server-sent events. */
export const followChanges: SessionOperation<(orgId: string) => string> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/live',
  api: 'console',
  answers: 'text',
};

/** This document. */
export const getReference: SessionOperation<
  (query?: Asked<GetReferenceQuery>) => {
    openapi: string;
    [name: string]: unknown;
  }
> = { method: 'GET', path: '/openapi.json', api: 'console', takes: ['query'] };
