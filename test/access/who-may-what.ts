// Who may call what in the console's API, written down by hand: the table that the service must implement.

/** The callers, in the order of the columns below. */
export const callers = [
  'nobody',
  'key: read',
  'key: build',
  'key: manage',
  'owner',
  'admin',
  'developer',
  'owner of another organization',
  'owner of the suspended organization',
] as const;
export type CallerName = (typeof callers)[number];

/** The error code with which a caller is refused; null if it is not. */
type Codes = readonly [
  nobody: string | null,
  readKey: string | null,
  buildKey: string | null,
  manageKey: string | null,
  owner: string | null,
  admin: string | null,
  developer: string | null,
  outsider: string | null,
  suspended: string | null,
];

const C = 'console_only';
const S = 'session_required';
const P = 'insufficient_permission';
const K = 'api_key_required';
const N = 'not_found';
const X = 'organization_suspended';

const kinds = {
  //          nobody  read  build manage owner admin developer outsider suspended
  anybody: /**/ [null, null, null, null, null, null, null, null, null],
  /** Begins a session, which keys do not need. */
  visitor: /**/ [null, C, C, C, null, null, null, null, null],
  /** About the signed-in person, without an organization. */
  person: /***/ [S, C, C, C, null, null, null, null, null],
  member: /***/ [S, C, C, C, null, null, null, N, X],
  manager: /**/ [S, C, C, C, null, null, P, N, X],
  owner: /****/ [S, C, C, C, null, P, P, N, X],
  reads: /****/ [K, null, null, null, null, null, null, N, X],
  runs: /*****/ [K, P, null, null, null, null, null, N, X],
  /** Any credentials, in no particular organization. */
  known: /****/ [K, null, null, null, null, null, null, null, null],
  /** Keys only: programs download with them. */
  program: /**/ [K, null, null, null, K, K, K, K, K],
} as const satisfies Record<string, Codes>;

const endpoints: Readonly<Record<string, keyof typeof kinds>> = {
  'GET /openapi.json': 'anybody',
  'POST /v1/leaked-keys': 'anybody',
  'GET /v1/downloads/:ticket': 'anybody',
  // The link is the permission: anybody who has it reads one build.
  'GET /v1/shared/:token': 'anybody',
  'GET /v1/shared/:token/artifacts': 'anybody',
  'GET /v1/shared/:token/artifacts/:file_id': 'anybody',
  'GET /v1/first-owner': 'anybody',
  'POST /v1/first-owner': 'visitor',
  'POST /v1/session': 'visitor',
  'POST /v1/session/second-step': 'visitor',
  'POST /v1/session/passkey': 'visitor',
  'POST /v1/session/passkey/options': 'visitor',
  'POST /v1/session/provider': 'visitor',
  'POST /v1/session/provider/begin': 'visitor',
  'GET /v1/sign-in-ways': 'anybody',
  'POST /v1/invites/lookup': 'visitor',
  'POST /v1/invites/accept': 'visitor',
  'GET /v1/session': 'person',
  'DELETE /v1/session': 'person',
  'PATCH /v1/session/user': 'person',
  'POST /v1/session/password': 'person',
  'POST /v1/session/confirm': 'person',
  'GET /v1/second-factors': 'person',
  'POST /v1/second-factors/totp': 'person',
  'POST /v1/second-factors/totp/confirm': 'person',
  'DELETE /v1/second-factors/totp': 'person',
  'POST /v1/second-factors/recovery-codes': 'person',
  'GET /v1/passkeys': 'person',
  'POST /v1/passkeys': 'person',
  'POST /v1/passkeys/options': 'person',
  'PATCH /v1/passkeys/:passkey_id': 'person',
  'DELETE /v1/passkeys/:passkey_id': 'person',
  'GET /v1/identity': 'person',
  'POST /v1/identity': 'person',
  'DELETE /v1/identity': 'person',
  'GET /v1/password-reset': 'anybody',
  'POST /v1/password-reset': 'visitor',
  'POST /v1/password-reset/lookup': 'visitor',
  'POST /v1/password-reset/request': 'visitor',
  'GET /v1/sessions': 'person',
  'DELETE /v1/sessions': 'person',
  'DELETE /v1/sessions/:session_id': 'person',
  'GET /v1/locate': 'person',

  'GET /v1/organizations/:org_id/members': 'member',
  'PATCH /v1/organizations/:org_id/members/:user_id': 'manager',
  // Everybody may leave; this table is about the others.
  'DELETE /v1/organizations/:org_id/members/:user_id': 'manager',
  'GET /v1/organizations/:org_id/invites': 'manager',
  'POST /v1/organizations/:org_id/invites': 'manager',
  'DELETE /v1/organizations/:org_id/invites/:invite_id': 'manager',
  'GET /v1/organizations/:org_id/api-keys': 'manager',
  'POST /v1/organizations/:org_id/api-keys': 'manager',
  'DELETE /v1/organizations/:org_id/api-keys/:key_id': 'manager',
  'GET /v1/organizations/:org_id/workspaces': 'manager',
  'POST /v1/organizations/:org_id/workspaces': 'manager',
  'PATCH /v1/organizations/:org_id/workspaces/:workspace_id': 'manager',
  'DELETE /v1/organizations/:org_id/workspaces/:workspace_id': 'manager',
  'POST /v1/organizations/:org_id/builds/:build_id/share': 'member',
  'DELETE /v1/organizations/:org_id/builds/:build_id/share': 'member',
  'GET /v1/organizations/:org_id/audit': 'owner',
  'GET /v1/organizations/:org_id/notices': 'member',
  'POST /v1/organizations/:org_id/notices/:notice_id/read': 'member',
  'GET /v1/organizations/:org_id/builds/:build_id/events': 'member',
  'GET /v1/organizations/:org_id/live': 'member',
  'GET /v1/organizations/:org_id/orders/:order_no': 'manager',
  'POST /v1/organizations/:org_id/orders/:order_no/pay': 'manager',
  'POST /v1/organizations/:org_id/orders/:order_no/pay-with-credit': 'manager',
  'POST /v1/organizations/:org_id/orders/:order_no/confirm': 'manager',
  'POST /v1/organizations/:org_id/orders/:order_no/cancel': 'manager',
  'GET /v1/organizations/:org_id/topups': 'manager',
  'POST /v1/organizations/:org_id/topups': 'manager',
  'GET /v1/organizations/:org_id/topups/:order_id': 'manager',
  'POST /v1/organizations/:org_id/topups/:order_id/pay': 'manager',
  'POST /v1/organizations/:org_id/topups/:order_id/confirm': 'manager',
  'POST /v1/organizations/:org_id/topups/:order_id/cancel': 'manager',
  'POST /v1/organizations/:org_id/topups/:order_id/withdraw': 'manager',
  'GET /v1/organizations/:org_id/credit': 'manager',
  'GET /v1/organizations/:org_id/ledger': 'manager',

  'GET /v1/fx-rates/today': 'known',
  'GET /v1/files': 'reads',
  'GET /v1/jobs/:job_id/artifacts/:file_id': 'reads',
  'POST /v1/jobs/:job_id/artifacts/contents': 'program',
  'DELETE /v1/files/:file_id': 'runs',
};

/** Answers of an endpoint to each caller. */
export const whoMayWhat: Readonly<Record<string, Readonly<Record<CallerName, string | null>>>> = Object.fromEntries(
  Object.entries(endpoints).map(([name, kind]) => [
    name,
    Object.fromEntries(callers.map((caller, at) => [caller, kinds[kind][at] ?? null])) as Record<
      CallerName,
      string | null
    >,
  ]),
);
