// Generated, do not edit: `npm run generate` makes this file from the reference that the service answers with.

import type {
  AgentUpgrade,
  ApprovedHost,
  CalendarPage,
  ChangedHosts,
  ChangedOrganization,
  ControlPlaneProcesses,
  Enrollments,
  EnrollmentToken,
  FleetHostDetail,
  FleetPage,
  GrantedRentals,
  Member,
  MemberList,
  OperatorApiKeyFilter,
  OperatorApiKeyPage,
  OperatorAuditEntryFilter,
  OperatorAuditPage,
  OperatorCredit,
  OperatorGetCalendarQuery,
  OperatorGetReferenceQuery,
  OperatorGetThroughputQuery,
  OperatorGetUpgradeQuery,
  OperatorHostFilter,
  OperatorMemberFilter,
  OperatorNotice,
  OperatorNoticeFilter,
  OperatorNotices,
  OperatorOrderDetail,
  OperatorOrderFilter,
  OperatorOrderPage,
  OperatorOrganization,
  OperatorOrganizationFilter,
  OperatorPaymentFilter,
  OperatorProblemFilter,
  OperatorProblems,
  OperatorRentalFilter,
  OperatorRentalPage,
  OperatorSettlementFilter,
  OperatorTiers,
  OperatorUserFilter,
  OperatorWaitlistFilter,
  OperatorWaitlistPage,
  OperatorWorkspace,
  OperatorWorkspaces,
  OrderRefund,
  OrganizationPage,
  RemovedMember,
  Rollout,
  Settlements,
  Throughput,
  Tier,
  TierImage,
  TierImages,
  UnreadableSecrets,
  UnsettledPaymentPage,
  UserPage,
} from '../types.js';
import type { Asked, SessionOperation } from './operation.js';

/** Hosts with their slots and builds, in the order of their names. */
export const listHosts: SessionOperation<(query?: Asked<OperatorHostFilter>) => FleetPage> = {
  method: 'GET',
  path: '/v1/hosts',
  api: 'operator',
  takes: ['query'],
};

/** Everything about one host. */
export const getHost: SessionOperation<(hostId: string) => FleetHostDetail> = {
  method: 'GET',
  path: '/v1/hosts/{host_id}',
  api: 'operator',
};

/** The newest upgrade of agents, and the versions that the service has. */
export const getUpgrade: SessionOperation<(query?: Asked<OperatorGetUpgradeQuery>) => AgentUpgrade> = {
  method: 'GET',
  path: '/v1/upgrade',
  api: 'operator',
  takes: ['query'],
};

/** Slots of each host, and the organizations that have them over time. */
export const getCalendar: SessionOperation<(query?: Asked<OperatorGetCalendarQuery>) => CalendarPage> = {
  method: 'GET',
  path: '/v1/calendar',
  api: 'operator',
  takes: ['query'],
};

/** All tiers with their slots, the cheapest first. */
export const listTiers: SessionOperation<() => OperatorTiers> = { method: 'GET', path: '/v1/tiers', api: 'operator' };

/** The images of all tiers, and their state on each host. */
export const listImages: SessionOperation<() => TierImages> = { method: 'GET', path: '/v1/images', api: 'operator' };

/** What the image of a tier offers, and which hosts have it. */
export const getImage: SessionOperation<(tier: string) => TierImage> = {
  method: 'GET',
  path: '/v1/images/{tier}',
  api: 'operator',
};

/** Tokens that have not expired, and machines that wait for approval. */
export const listEnrollments: SessionOperation<() => Enrollments> = {
  method: 'GET',
  path: '/v1/enrollments',
  api: 'operator',
};

/** Problems of hosts and capacity now, and the last notices about them. */
export const listProblems: SessionOperation<(query?: Asked<OperatorProblemFilter>) => OperatorProblems> = {
  method: 'GET',
  path: '/v1/problems',
  api: 'operator',
  takes: ['query'],
};

/** Open problems of hosts and capacity, and the last notices, newest first. */
export const listNotices: SessionOperation<(query?: Asked<OperatorNoticeFilter>) => OperatorNotices> = {
  method: 'GET',
  path: '/v1/notices',
  api: 'operator',
  takes: ['query'],
};

/** One notice, and what became of its mails and webhook. */
export const getNotice: SessionOperation<(noticeId: string) => OperatorNotice> = {
  method: 'GET',
  path: '/v1/notices/{notice_id}',
  api: 'operator',
};

/** All organizations, the newest first. */
export const listOrganizations: SessionOperation<(query?: Asked<OperatorOrganizationFilter>) => OrganizationPage> = {
  method: 'GET',
  path: '/v1/organizations',
  api: 'operator',
  takes: ['query'],
};

/** One organization with its usage and limits. */
export const getOrganization: SessionOperation<(orgId: string) => OperatorOrganization> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}',
  api: 'operator',
};

/** Members of an organization, in the order in which they joined. */
export const listMembers: SessionOperation<(orgId: string, query?: Asked<OperatorMemberFilter>) => MemberList> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/members',
  api: 'operator',
  takes: ['query'],
};

/** Macs of an organization that have not ended, the oldest first. */
export const listRentals: SessionOperation<(orgId: string, query?: Asked<OperatorRentalFilter>) => OperatorRentalPage> =
  { method: 'GET', path: '/v1/organizations/{org_id}/rentals', api: 'operator', takes: ['query'] };

/** Orders of all organizations, the newest first. */
export const listOrders: SessionOperation<(query?: Asked<OperatorOrderFilter>) => OperatorOrderPage> = {
  method: 'GET',
  path: '/v1/orders',
  api: 'operator',
  takes: ['query'],
};

/** One order with its payment and refunds. */
export const getOrder: SessionOperation<(orderNo: string) => OperatorOrderDetail> = {
  method: 'GET',
  path: '/v1/orders/{order_no}',
  api: 'operator',
};

/** Waitlist entries, in the order in which they are served. */
export const listWaitlist: SessionOperation<(query?: Asked<OperatorWaitlistFilter>) => OperatorWaitlistPage> = {
  method: 'GET',
  path: '/v1/waitlist',
  api: 'operator',
  takes: ['query'],
};

/** Payments and refunds that are not settled with the provider, the newest first. */
export const listPayments: SessionOperation<(query?: Asked<OperatorPaymentFilter>) => UnsettledPaymentPage> = {
  method: 'GET',
  path: '/v1/payments',
  api: 'operator',
  takes: ['query'],
};

/** The audit log of all organizations, newest first; as a file with `format`. */
export const listAuditEntries: SessionOperation<(query?: Asked<OperatorAuditEntryFilter>) => OperatorAuditPage> = {
  method: 'GET',
  path: '/v1/audit',
  api: 'operator',
  takes: ['query'],
};

/** Builds, waits and use of Macs and slots, in steps of time. */
export const getThroughput: SessionOperation<(query?: Asked<OperatorGetThroughputQuery>) => Throughput> = {
  method: 'GET',
  path: '/v1/throughput',
  api: 'operator',
  takes: ['query'],
};

/** Users, the oldest first. */
export const listUsers: SessionOperation<(query?: Asked<OperatorUserFilter>) => UserPage> = {
  method: 'GET',
  path: '/v1/users',
  api: 'operator',
  takes: ['query'],
};

/** Workspaces of an organization, the oldest first. */
export const listWorkspaces: SessionOperation<(orgId: string) => OperatorWorkspaces> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/workspaces',
  api: 'operator',
};

/** API keys of an organization without their secret part, the newest first. */
export const listApiKeys: SessionOperation<(orgId: string, query?: Asked<OperatorApiKeyFilter>) => OperatorApiKeyPage> =
  { method: 'GET', path: '/v1/organizations/{org_id}/api-keys', api: 'operator', takes: ['query'] };

/** The credit of an organization, and its latest entries. */
export const getCredit: SessionOperation<(orgId: string) => OperatorCredit> = {
  method: 'GET',
  path: '/v1/organizations/{org_id}/credit',
  api: 'operator',
};

/** Payments and refunds that an operator has to settle with the provider by hand; at most 200. */
export const listSettlements: SessionOperation<(query?: Asked<OperatorSettlementFilter>) => Settlements> = {
  method: 'GET',
  path: '/v1/settlements',
  api: 'operator',
  takes: ['query'],
};

/** Encrypted values that cannot be decrypted: build secrets, signing secrets; at most 1,000. */
export const listUnreadableSecrets: SessionOperation<() => UnreadableSecrets> = {
  method: 'GET',
  path: '/v1/unreadable-secrets',
  api: 'operator',
};

/** Processes of the control plane, the oldest first; at most 1,000. */
export const listProcesses: SessionOperation<() => ControlPlaneProcesses> = {
  method: 'GET',
  path: '/v1/processes',
  api: 'operator',
};

/** Create an organization with a workspace. */
export const orgCreate: SessionOperation<
  (body: {
    /** Name of the organization. */
    name: string;
    /** Short name; default: made from the name. */
    slug?: string;
  }) => {
    /** Number of the organization. */
    id: number;
    org_id: string;
    workspace_id: string;
  }
> = { method: 'POST', path: '/v1/org/create', api: 'operator', takes: ['body'] };

/** Refuse every request of the organization and its keys. */
export const orgSuspend: SessionOperation<
  (body: {
    /** Organization: org_…, slug or number. */
    org: string;
  }) => ChangedOrganization
> = { method: 'POST', path: '/v1/org/suspend', api: 'operator', takes: ['body'] };

/** End a suspension. */
export const orgResume: SessionOperation<
  (body: {
    /** Organization: org_…, slug or number. */
    org: string;
  }) => ChangedOrganization
> = { method: 'POST', path: '/v1/org/resume', api: 'operator', takes: ['body'] };

/** Refuse orders and payments of the organization. */
export const orgBlockPayments: SessionOperation<
  (body: {
    /** Organization: org_…, slug or number. */
    org: string;
  }) => ChangedOrganization
> = { method: 'POST', path: '/v1/org/block-payments', api: 'operator', takes: ['body'] };

/** Let it buy again. */
export const orgUnblockPayments: SessionOperation<
  (body: {
    /** Organization: org_…, slug or number. */
    org: string;
  }) => ChangedOrganization
> = { method: 'POST', path: '/v1/org/unblock-payments', api: 'operator', takes: ['body'] };

/** Set limits of an organization, effective from its next request. */
export const orgSetLimits: SessionOperation<
  (body: {
    /** Organization: org_…, slug or number. */
    org: string;
    /** files of uploads, in GiB. 0 to 999,999. */
    contents_gb?: number;
    /** artifacts of builds, in GiB. 0 to 999,999. */
    artifacts_gb?: number;
    /** logs of builds, in GiB. 0 to 999,999. */
    logs_gb?: number;
    /** what the account writes into the database, in GiB. 0 to 999,999. */
    records_gb?: number;
    /** how long logs are kept, in days. 0 to 999,999. */
    logs_days?: number;
    /** how long builds and events are kept, in days. 0 to 999,999. */
    builds_days?: number;
    /** open long polls and streams. 0 to 999,999,999. */
    parked_requests?: number;
    /** upload requests at the same time. 0 to 999,999,999. */
    concurrent_uploads?: number;
    /** requests of all keys together per minute. 0 to 999,999,999. */
    requests_per_minute?: number;
    /** Reset all other limits to their defaults. */
    reset?: boolean;
  }) => {
    org_id: string;
    /** Bytes, ms or a number, by name. */
    changed_limits: Record<string, number>;
  }
> = { method: 'POST', path: '/v1/org/set-limits', api: 'operator', takes: ['body'] };

/** Create a user. */
export const userCreate: SessionOperation<
  (body: {
    /** Address with which the person signs in. */
    email: string;
    /** The password. */
    password: string;
    /** Name of the person. */
    name?: string;
    /** Organization of which the person becomes a member. */
    org?: string;
    /** Role in that organization. */
    role?: 'owner' | 'admin' | 'developer';
    /** Workspaces that a developer sees; default: the organization's first one. */
    workspaces?: string[];
    /** The person runs the service: sees hosts and every organization. */
    operator?: boolean;
  }) => {
    user_id: string;
    email: string;
  }
> = { method: 'POST', path: '/v1/user/create', api: 'operator', takes: ['body'] };

/** Set a new password of a person; their sessions end. */
export const userSetPassword: SessionOperation<
  (body: {
    /** Address of the person. */
    email: string;
    /** The password. */
    password: string;
  }) => {
    user_id: string;
    email: string;
  }
> = { method: 'POST', path: '/v1/user/set-password', api: 'operator', takes: ['body'] };

/** Create a link with which a person chooses a new password; only this answer shows it. */
export const userResetPassword: SessionOperation<
  (body: {
    /** Address of the person. */
    email: string;
  }) => {
    user_id: string;
    email: string;
    reset_url: string;
    expires_at: string;
  }
> = { method: 'POST', path: '/v1/user/reset-password', api: 'operator', takes: ['body'] };

/** End all sessions of a person, who has to sign in again. */
export const userEndSessions: SessionOperation<
  (body: {
    /** Address of the person. */
    email: string;
  }) => {
    user_id: string;
    email: string;
    /** Number of sessions. */
    ended: number;
  }
> = { method: 'POST', path: '/v1/user/end-sessions', api: 'operator', takes: ['body'] };

/** Set the workspaces that a developer sees; owners and admins see all. */
export const userSetWorkspaces: SessionOperation<
  (body: {
    /** Address of the developer. */
    email: string;
    /** Organization: org_…, slug or number. */
    org: string;
    /** Ids; empty: none. */
    workspaces: string[];
  }) => {
    user_id: string;
    email: string;
    workspace_ids: string[];
  }
> = { method: 'POST', path: '/v1/user/set-workspaces', api: 'operator', takes: ['body'] };

/** Turn off two-step sign-in of a person who has lost the app and the recovery codes; they get a mail. */
export const userRemoveSecondFactors: SessionOperation<
  (body: {
    /** Address of the person. */
    email: string;
  }) => {
    user_id: string;
    email: string;
    /** False: two-step sign-in was off. */
    removed: boolean;
  }
> = { method: 'POST', path: '/v1/user/remove-second-factors', api: 'operator', takes: ['body'] };

/** Invite a person; the address to accept it is in the answer, and mailed. */
export const memberInvite: SessionOperation<
  (body: {
    /** Organization: org_…, slug or number. */
    org: string;
    /** Address of the person. */
    email: string;
    /** Role in the organization. */
    role?: 'owner' | 'admin' | 'developer';
    /** Workspaces that a developer sees; default: the organization's first one. */
    workspaces?: string[];
  }) => {
    id: string;
    email: string;
    accept_url: string;
    expires_at: string;
  }
> = { method: 'POST', path: '/v1/member/invite', api: 'operator', takes: ['body'] };

/** Change the role of a member, or the workspaces that a developer sees. */
export const memberSet: SessionOperation<
  (body: {
    /** Organization: org_…, slug or number. */
    org: string;
    /** Address of the person. */
    email: string;
    /** New role. */
    role?: 'owner' | 'admin' | 'developer';
    /** Ids; empty: none. */
    workspaces?: string[];
  }) => Member
> = { method: 'POST', path: '/v1/member/set', api: 'operator', takes: ['body'] };

/** Remove a member, who loses access at once; keys they created stay. */
export const memberRemove: SessionOperation<
  (body: {
    /** Organization: org_…, slug or number. */
    org: string;
    /** Address of the person. */
    email: string;
  }) => RemovedMember
> = { method: 'POST', path: '/v1/member/remove', api: 'operator', takes: ['body'] };

/** Create a workspace. */
export const workspaceCreate: SessionOperation<
  (body: {
    /** Organization: org_…, slug or number. */
    org: string;
    /** Name, unique in the organization. */
    name: string;
  }) => OperatorWorkspace
> = { method: 'POST', path: '/v1/workspace/create', api: 'operator', takes: ['body'] };

/** Rename a workspace. */
export const workspaceRename: SessionOperation<
  (body: {
    /** Id of the workspace. */
    workspace_id: string;
    /** Name, unique in the organization. */
    name: string;
  }) => OperatorWorkspace
> = { method: 'POST', path: '/v1/workspace/rename', api: 'operator', takes: ['body'] };

/**
 * Remove a workspace without active keys and unfinished builds; owners and admins can still read its
 * builds.
 */
export const workspaceRemove: SessionOperation<
  (body: {
    /** Id of the workspace. */
    workspace_id: string;
  }) => {
    workspace_id: string;
    removed: true;
  }
> = { method: 'POST', path: '/v1/workspace/remove', api: 'operator', takes: ['body'] };

/** Create an API key; only this answer shows it. */
export const keyCreate: SessionOperation<
  (body: {
    /** Organization: org_…, slug or number. */
    org: string;
    /** Name that says what the key is for. */
    name: string;
    /** Any of read, build, manage. */
    levels: ('read' | 'build' | 'manage')[];
    /** Address ranges from which it can be used; default: all. */
    cidrs?: string[];
    /** When it expires, ISO 8601; default: never. */
    expires?: string;
    /** Its workspace; default: the organization's first one. */
    workspace?: string;
  }) => {
    key: string;
    key_id: string;
  }
> = { method: 'POST', path: '/v1/key/create', api: 'operator', takes: ['body'] };

/** Revoke a key immediately and permanently. */
export const keyRevoke: SessionOperation<
  (body: {
    /** Id of the key. */
    key_id: string;
  }) => {
    key_id: string;
    revoked: true;
  }
> = { method: 'POST', path: '/v1/key/revoke', api: 'operator', takes: ['body'] };

/** Create a tier. */
export const tierAdd: SessionOperation<
  (body: {
    /** Id of the tier. */
    tier: string;
    /** Name that customers see. */
    name?: string;
    /** Price of one Mac for 24 hours, VAT included. */
    price_won?: number;
    /** E.g. "Apple M4". */
    chip?: string;
    /** Of one Mac. */
    cpu_cores?: number;
    /** Of one Mac. */
    memory_gb?: number;
    /** Of one Mac. */
    disk_gb?: number;
    /** Of one Mac; auto: of the image. */
    macos?: string;
    /** Versions that can be selected; auto: those of the image. */
    xcode?: string[] | 'auto';
    /** Default: the last of them, or the newest stable one of the image. */
    default_xcode?: string;
    /** Simulator runtimes that can be selected; auto: those of the image. */
    runtimes?: string[] | 'auto';
    /** Tools that can be selected; auto: those of the image. */
    tools?: string[] | 'auto';
    /** Image from which hosts create Macs; its tag is resolved whenever the image is set. */
    image?: string;
    /** Whether it can be ordered. */
    sales_open?: boolean;
    /** Longest bought time of one Mac. */
    max_days?: number;
  }) => Tier
> = { method: 'POST', path: '/v1/tier/add', api: 'operator', takes: ['body'] };

/** Change the given values of a tier. */
export const tierEdit: SessionOperation<
  (body: {
    /** Id of the tier. */
    tier: string;
    /** Name that customers see. */
    name?: string;
    /** Price of one Mac for 24 hours, VAT included. */
    price_won?: number;
    /** E.g. "Apple M4". */
    chip?: string;
    /** Of one Mac. */
    cpu_cores?: number;
    /** Of one Mac. */
    memory_gb?: number;
    /** Of one Mac. */
    disk_gb?: number;
    /** Of one Mac; auto: of the image. */
    macos?: string;
    /** Versions that can be selected; auto: those of the image. */
    xcode?: string[] | 'auto';
    /** Default: the last of them, or the newest stable one of the image. */
    default_xcode?: string;
    /** Simulator runtimes that can be selected; auto: those of the image. */
    runtimes?: string[] | 'auto';
    /** Tools that can be selected; auto: those of the image. */
    tools?: string[] | 'auto';
    /** Image from which hosts create Macs; its tag is resolved whenever the image is set. */
    image?: string;
    /** Whether it can be ordered. */
    sales_open?: boolean;
    /** Longest bought time of one Mac. */
    max_days?: number;
  }) => Tier
> = { method: 'POST', path: '/v1/tier/edit', api: 'operator', takes: ['body'] };

/** Create a token with which a machine becomes a host: one host in a short time, or several. */
export const hostEnroll: SessionOperation<
  (body: {
    /** Name of the host; default: the machine's name. */
    name?: string;
    /** Tier of its Macs; without it the host waits for approval. */
    tier?: string;
    /** Macs that the host may have at a time. */
    slots?: number;
    /** Labels of the host. */
    labels?: Record<string, string>;
    /** For several hosts; needs `uses` and `until`. */
    reusable?: boolean;
    /** How many hosts a reusable token enrolls. */
    uses?: number;
    /** When a reusable token expires: ISO 8601, or from now: 12h, 7d, 4w. */
    until?: string;
  }) => {
    /** Shown once. */
    token: string;
    id: string;
    uses: number;
    expires_at: string;
  }
> = { method: 'POST', path: '/v1/host/enroll', api: 'operator', takes: ['body'] };

/** Revoke an enrollment token; hosts that used it stay. */
export const hostTokenRevoke: SessionOperation<
  (body: {
    /** Id of the token. */
    id: string;
  }) => EnrollmentToken
> = { method: 'POST', path: '/v1/host/token/revoke', api: 'operator', takes: ['body'] };

/** Approve a machine that shows a code, or a pending host. */
export const hostApprove: SessionOperation<
  (body: {
    /** Code that the machine shows. */
    code?: string;
    /** Instead of a code: a pending host, by id or name. */
    host?: string;
    /** Tier of its Macs; without it the machine becomes a pending host. */
    tier?: string;
    /** Macs that the host may have at a time (with a code; default: 2). */
    slots?: number;
    /** With a code; default: the machine's name. */
    name?: string;
    /** Labels of the host. */
    labels?: Record<string, string>;
  }) => ApprovedHost
> = { method: 'POST', path: '/v1/host/approve', api: 'operator', takes: ['body'] };

/** Let builds end, send no new ones, make no new Macs. */
export const hostDrain: SessionOperation<
  (body: {
    /** Ids, or names of single hosts. */
    hosts?: string[];
    /** All hosts. */
    all?: boolean;
    /** Hosts of this tier. */
    tier?: string;
    /** Hosts that have all of these labels. */
    labels?: Record<string, string>;
    /** Shown in host list until the host is undrained. */
    reason?: string;
  }) => ChangedHosts
> = { method: 'POST', path: '/v1/host/drain', api: 'operator', takes: ['body'] };

/** Make no new Macs there; those that are rented go on. */
export const hostCordon: SessionOperation<
  (body: {
    /** Ids, or names of single hosts. */
    hosts?: string[];
    /** All hosts. */
    all?: boolean;
    /** Hosts of this tier. */
    tier?: string;
    /** Hosts that have all of these labels. */
    labels?: Record<string, string>;
    /** Shown in host list until the host is undrained. */
    reason?: string;
  }) => ChangedHosts
> = { method: 'POST', path: '/v1/host/cordon', api: 'operator', takes: ['body'] };

/** End a drain or a cordon. */
export const hostUndrain: SessionOperation<
  (body: {
    /** Ids, or names of single hosts. */
    hosts?: string[];
    /** All hosts. */
    all?: boolean;
    /** Hosts of this tier. */
    tier?: string;
    /** Hosts that have all of these labels. */
    labels?: Record<string, string>;
  }) => ChangedHosts
> = { method: 'POST', path: '/v1/host/undrain', api: 'operator', takes: ['body'] };

/** Revoke the credentials of hosts and disconnect them at once. */
export const hostRemove: SessionOperation<
  (body: {
    /** Ids, or names of single hosts. */
    hosts?: string[];
    /** All hosts. */
    all?: boolean;
    /** Hosts of this tier. */
    tier?: string;
    /** Hosts that have all of these labels. */
    labels?: Record<string, string>;
    /** Needed to remove more than one host, or hosts that are not named. */
    confirmed?: boolean;
  }) => ChangedHosts
> = { method: 'POST', path: '/v1/host/remove', api: 'operator', takes: ['body'] };

/** Change settings of hosts. */
export const hostSet: SessionOperation<
  (body: {
    /** Ids, or names of single hosts. */
    hosts?: string[];
    /** All hosts. */
    all?: boolean;
    /** Hosts of this tier. */
    tier?: string;
    /** Hosts that have all of these labels. */
    labels?: Record<string, string>;
    /** Absent fields stay unchanged. */
    set: {
      /** Tier of its Macs; changes only while none is rented. */
      tier?: string;
      /** Macs that the host may have at a time; existing Macs stay. */
      slots?: number;
      /** Whether it may serve several accounts at a time. */
      shared?: boolean;
      /** Labels to set; null removes one; others stay. */
      labels?: Record<string, string | null>;
      /** True: a second agent no longer uses the credential of the host. */
      conflict_is_over?: true;
    };
  }) => ChangedHosts
> = { method: 'POST', path: '/v1/host/set', api: 'operator', takes: ['body'] };

/** Move hosts to another address of this service. */
export const hostMoveTo: SessionOperation<
  (body: {
    /** Ids, or names of single hosts. */
    hosts?: string[];
    /** All hosts. */
    all?: boolean;
    /** Hosts of this tier. */
    tier?: string;
    /** Hosts that have all of these labels. */
    labels?: Record<string, string>;
    /** Address, such as https://macs.example; null: hosts that have not moved yet stay. */
    url: string | null;
  }) => ChangedHosts
> = { method: 'POST', path: '/v1/host/move-to', api: 'operator', takes: ['body'] };

/** Install another version of the agent on hosts; running builds continue. */
export const hostUpgrade: SessionOperation<
  (body: {
    /** Ids, or names of single hosts. */
    hosts?: string[];
    /** All hosts. */
    all?: boolean;
    /** Hosts of this tier. */
    tier?: string;
    /** Hosts that have all of these labels. */
    labels?: Record<string, string>;
    /** Version, also an older one (default: the newest package of the service). */
    to?: string;
    /** Hosts that go first and prove the version before the others follow. */
    canary?: number;
  }) => {
    upgrade: Rollout;
  }
> = { method: 'POST', path: '/v1/host/upgrade', api: 'operator', takes: ['body'] };

/** Stop the upgrade; hosts that are already restarting continue. */
export const hostUpgradeCancel: SessionOperation<
  (body: Record<string, unknown>) => {
    upgrade: Rollout;
  }
> = { method: 'POST', path: '/v1/host/upgrade/cancel', api: 'operator', takes: ['body'] };

/** Fetch the image of a tier on its hosts, a few at a time. */
export const imagePull: SessionOperation<
  (body: {
    /** Tier whose image is fetched. */
    tier: string;
    /** Only this host of the tier, by id or name (default: all). */
    host?: string;
  }) => {
    tier: string;
    /** Ids of the hosts. */
    hosts: string[];
  }
> = { method: 'POST', path: '/v1/image/pull', api: 'operator', takes: ['body'] };

/** Send a test by mail and webhook. */
export const noticesTest: SessionOperation<
  (body: Record<string, unknown>) => {
    notice: OperatorNotice;
  }
> = { method: 'POST', path: '/v1/notices/test', api: 'operator', takes: ['body'] };

/** Show what a refund would do; nothing is changed. */
export const orderPlanRefund: SessionOperation<
  (body: {
    /** Number of the order. */
    order_no: string;
  }) => OrderRefund
> = { method: 'POST', path: '/v1/order/plan-refund', api: 'operator', takes: ['body'] };

/** Refund an order and its extensions; its Macs end, and the time that it added is removed. */
export const orderRefund: SessionOperation<
  (body: {
    /** Number of the order. */
    order_no: string;
    /** Fails if the refund would be another amount. */
    expect_won?: number;
  }) => OrderRefund
> = { method: 'POST', path: '/v1/order/refund', api: 'operator', takes: ['body'] };

/** Cancel an unpaid order; the slots that it holds become free. */
export const orderCancel: SessionOperation<
  (body: {
    /** Number of the order. */
    order_no: string;
  }) => {
    order_no: string;
    status: 'awaiting_payment' | 'paid' | 'provisioning' | 'ready' | 'expired' | 'canceled';
  }
> = { method: 'POST', path: '/v1/order/cancel', api: 'operator', takes: ['body'] };

/** Mark a payment or a refused refund as settled with the provider. */
export const paymentSettle: SessionOperation<
  (body: {
    /** Order number of the payment, or id of the refund. */
    id: string;
    /** How it was settled. */
    note: string;
  }) => {
    id: string;
    kind: 'over_returned' | 'refused';
    order_no: string;
    note: string;
  }
> = { method: 'POST', path: '/v1/payment/settle', api: 'operator', takes: ['body'] };

/** Add credit to an organization, or take credit away. */
export const creditAdjust: SessionOperation<
  (body: {
    /** Organization: org_…, slug or number. */
    org: string;
    /** Millionths of a dollar; negative: credit is taken away. -1000000000000 to 1,000,000,000,000. */
    micro_usd: number;
    /** Shown to the organization. */
    reason: string;
  }) => OperatorCredit
> = { method: 'POST', path: '/v1/credit/adjust', api: 'operator', takes: ['body'] };

/** Grant Macs to a team that owns them: no order, no payment, no limit of days. */
export const rentalGrant: SessionOperation<
  (body: {
    /** Organization: org_…, slug or number. */
    org: string;
    /** On any host of this tier. */
    tier?: string;
    /** On this host only, by id or name. */
    host?: string;
    /** Macs. */
    units?: number;
    /** When the rentals end, ISO 8601. */
    until?: string;
    /** Until `rental end`; the default. */
    forever?: boolean;
  }) => GrantedRentals
> = { method: 'POST', path: '/v1/rental/grant', api: 'operator', takes: ['body'] };

/** End a rental that was granted; its Mac is removed at once. */
export const rentalEnd: SessionOperation<
  (body: {
    /** Id of the rental, or the name of its Mac. */
    rental_id: string;
    /** The organization that has it: org_…, slug or number. Needed if several have a Mac of this name. */
    org?: string;
  }) => {
    rental_id: string;
    name: string;
    ended: true;
  }
> = { method: 'POST', path: '/v1/rental/end', api: 'operator', takes: ['body'] };

/** Create a new key and encrypt everything with it. */
export const secretsRotateKey: SessionOperation<
  (body: Record<string, unknown>) => {
    key_id: string;
    /** Values encrypted with the new key. */
    resealed: number;
    /** Values that cannot be decrypted; they stay as they are. */
    unreadable: number;
  }
> = { method: 'POST', path: '/v1/secrets/rotate-key', api: 'operator', takes: ['body'] };

/** Changes, as server-sent events. */
export const followChanges: SessionOperation<() => string> = {
  method: 'GET',
  path: '/v1/live',
  api: 'operator',
  answers: 'text',
};

/** This document. */
export const getReference: SessionOperation<
  (query?: Asked<OperatorGetReferenceQuery>) => {
    openapi: string;
    [name: string]: unknown;
  }
> = { method: 'GET', path: '/openapi.json', api: 'operator', takes: ['query'] };
