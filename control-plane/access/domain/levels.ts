// The level that each endpoint requires, in one table. It is joined to the routes when they are composed, and the
// OpenAPI documents show it.
import type { Level } from '../../platform/domain/caller.js';

/** Method and path below the family's root to level; null: no authentication. */
export type LevelTable = Readonly<Record<string, Level | null>>;

/** The API. */
export const agentLevels: LevelTable = {
  'GET /me': 'read',
  'GET /account': 'read',
  'GET /agent/start': 'read',
  'GET /catalog': 'read',
  'GET /pool': 'read',
  'GET /status': 'read',
  'GET /queue': 'read',
  'GET /errors': 'read',
  'GET /openapi.json': null,

  'POST /quote': 'read',
  'POST /orders': 'manage',
  'GET /orders': 'read',
  'GET /orders/:order_no': 'read',
  'GET /orders/:order_no/wait': 'read',
  'GET /rentals': 'read',
  'GET /rentals/:rental_id': 'read',
  'GET /rentals/:rental_id/history': 'read',
  'POST /rentals/:rental_id/extend/quote': 'read',
  'POST /rentals/extend/quote': 'read',
  'POST /rentals/:rental_id/extend': 'manage',
  'POST /rentals/extend': 'manage',
  'GET /waitlist': 'read',
  'POST /waitlist': 'manage',
  'DELETE /waitlist/:id': 'manage',

  'PATCH /rentals/:rental_id': 'manage',
  'POST /rentals/batch': 'manage',
  'POST /rentals/reset': 'manage',
  'POST /rentals/:rental_id/reset': 'manage',
  'POST /rentals/xcode': 'manage',
  'POST /rentals/:rental_id/xcode': 'manage',
  'GET /jobs/:job_id': 'read',

  'POST /uploads': 'build',
  'POST /uploads/tar': 'build',
  'POST /uploads/:id/blobs': 'build',
  'GET /uploads/:id': 'read',
  'POST /builds': 'build',
  'GET /builds': 'read',
  'GET /builds/:build_id': 'read',
  'PATCH /builds/:build_id': 'build',
  'GET /builds/:build_id/failure': 'read',
  'GET /builds/:build_id/wait': 'read',
  'GET /builds/:build_id/log': 'read',
  'POST /builds/:build_id/cancel': 'build',
  'POST /builds/:build_id/rerun': 'build',
  'GET /secrets': 'read',
  'PUT /secrets/:name': 'manage',
  'DELETE /secrets/:name': 'manage',

  'GET /webhooks': 'read',
  'POST /webhooks': 'manage',
  'GET /webhooks/:webhook_id': 'read',
  'PATCH /webhooks/:webhook_id': 'manage',
  'DELETE /webhooks/:webhook_id': 'manage',
  'POST /webhooks/:webhook_id/test': 'manage',
  'POST /webhooks/:webhook_id/rotate': 'manage',
  'POST /webhooks/:webhook_id/redeliver': 'manage',
  'GET /webhooks/:webhook_id/deliveries': 'read',
  'POST /webhooks/:webhook_id/deliveries/:delivery_id/redeliver': 'manage',

  // Retired paths answer without authentication.
  'GET /jobs': null,
  'POST /jobs': null,
  'PUT /jobs': null,
  'PATCH /jobs': null,
  'DELETE /jobs': null,
  'POST /orders/:order_no/cancel': null,
  'DELETE /orders/:order_no': null,
};

/**
 * The console's API, where a key of any level has the permission `read`, and `build` or `manage` the permission `run`. Routes
 * for people are further limited by their roles.
 */
export const runnerLevels: LevelTable = {
  'GET /openapi.json': null,
  'POST /v1/first-owner': null,
  'POST /v1/leaked-keys': null,
  'POST /v1/session': null,
  'GET /v1/session': 'read',
  'DELETE /v1/session': 'read',
  'PATCH /v1/session/user': 'read',
  'POST /v1/session/password': 'read',
  'POST /v1/session/confirm': 'read',

  'GET /v1/sessions': 'read',
  'DELETE /v1/sessions/:session_id': 'read',
  'POST /v1/invites/lookup': null,
  'POST /v1/invites/accept': null,

  'GET /v1/organizations/:org_id/members': 'read',
  'PATCH /v1/organizations/:org_id/members/:user_id': 'manage',
  'DELETE /v1/organizations/:org_id/members/:user_id': 'read',
  'GET /v1/organizations/:org_id/invites': 'manage',
  'POST /v1/organizations/:org_id/invites': 'manage',
  'DELETE /v1/organizations/:org_id/invites/:invite_id': 'manage',
  'GET /v1/organizations/:org_id/api-keys': 'manage',
  'POST /v1/organizations/:org_id/api-keys': 'manage',
  'DELETE /v1/organizations/:org_id/api-keys/:key_id': 'manage',
  'GET /v1/organizations/:org_id/audit': 'manage',
  'GET /v1/organizations/:org_id/workspaces': 'manage',
  'POST /v1/organizations/:org_id/workspaces': 'manage',
  'PATCH /v1/organizations/:org_id/workspaces/:workspace_id': 'manage',
  'DELETE /v1/organizations/:org_id/workspaces/:workspace_id': 'manage',
  'GET /v1/organizations/:org_id/notices': 'read',
  'POST /v1/organizations/:org_id/builds/:build_id/share': 'read',
  'DELETE /v1/organizations/:org_id/builds/:build_id/share': 'read',
  'GET /v1/organizations/:org_id/builds/:build_id/events': 'read',
  'POST /v1/organizations/:org_id/notices/:notice_id/read': 'read',
  'GET /v1/organizations/:org_id/live': 'read',
  'GET /v1/organizations/:org_id/orders/:order_no': 'manage',
  'POST /v1/organizations/:org_id/orders/:order_no/pay': 'manage',
  'POST /v1/organizations/:org_id/orders/:order_no/confirm': 'manage',
  'POST /v1/organizations/:org_id/orders/:order_no/cancel': 'manage',
  'GET /v1/organizations/:org_id/topups': 'manage',
  'POST /v1/organizations/:org_id/topups': 'manage',
  'GET /v1/organizations/:org_id/topups/:order_id': 'manage',
  'POST /v1/organizations/:org_id/topups/:order_id/pay': 'manage',
  'POST /v1/organizations/:org_id/topups/:order_id/confirm': 'manage',
  'POST /v1/organizations/:org_id/topups/:order_id/cancel': 'manage',
  'POST /v1/organizations/:org_id/topups/:order_id/withdraw': 'manage',
  'GET /v1/organizations/:org_id/credit': 'manage',
  'GET /v1/organizations/:org_id/ledger': 'manage',
  'GET /v1/fx-rates/today': 'read',

  'GET /v1/locate': 'read',
  'GET /v1/files': 'read',
  'DELETE /v1/files/:file_id': 'build',
  'GET /v1/jobs/:job_id/artifacts/:file_id': 'read',
  'POST /v1/jobs/:job_id/artifacts/contents': 'read',
  'GET /v1/downloads/:ticket': null,
  // The token in the path admits to one build.
  'GET /v1/shared/:token': null,
  'GET /v1/shared/:token/artifacts': null,
  'GET /v1/shared/:token/artifacts/:file_id': null,
};

/** Of the console's API, when PortOne is configured: the sender is authenticated by a signature. */
export const paymentWebhookLevels: LevelTable = { 'POST /v1/payments/portone/webhook': null };

/** The operator API, for the operator token and the sessions of operators, who have all levels. */
export const operatorLevels: LevelTable = {
  'GET /openapi.json': null,
  'POST /v1/commands': 'manage',
  'GET /v1/hosts': 'read',
  'GET /v1/hosts/:host_id': 'read',
  'GET /v1/upgrade': 'read',
  'GET /v1/calendar': 'read',
  'GET /v1/tiers': 'read',
  'GET /v1/images': 'read',
  'GET /v1/enrollments': 'read',
  'GET /v1/organizations': 'read',
  'GET /v1/organizations/:org_id': 'read',
  'GET /v1/organizations/:org_id/members': 'read',
  'GET /v1/organizations/:org_id/rentals': 'read',
  'GET /v1/orders': 'read',
  'GET /v1/orders/:order_no': 'read',
  'GET /v1/waitlist': 'read',
  'GET /v1/payments': 'read',
  'GET /v1/audit': 'read',
  'GET /v1/throughput': 'read',
  'GET /v1/problems': 'read',
  'GET /v1/live': 'read',
};

/**
 * Returns the routes with their levels. Throws when a route has no row in the table or a row no route: both are
 * programming errors and prevent startup.
 *
 * @example withLevels({ 'GET /me': 'read' }, [route({ method: 'GET', path: '/me', … })]); // [{ …, level: 'read' }]
 */
export function withLevels<R extends { readonly method: string; readonly path: string }>(
  table: LevelTable,
  routes: readonly R[],
): (R & { readonly level: Level | null })[] {
  const unused = new Set(Object.keys(table));
  const leveled = routes.map((route) => {
    const name = `${route.method} ${route.path}`;
    const level = table[name];
    if (level === undefined) throw new Error(`${name} has no row in the table of levels`);
    unused.delete(name);
    return { ...route, level };
  });
  if (unused.size > 0)
    throw new Error(`Rows of the table of levels without a route: ${[...unused].join(', ')}`);
  return leveled;
}
