// The names of actions in the audit log, in one table: every route that changes something, and every operator command.
// Null: it changes nothing, or is not an action of a person, key or operator. A changing route or command that is
// missing here is audited as `METHOD /path` or by its command line, and a test fails.
import type { RouteAction } from '../../platform/domain/audit-entry.js';

type ActionTable = Readonly<Record<string, RouteAction | null>>;

/** @param made field of the reply that has the identifier, if the path does not */
const action = (name: string, made?: string): RouteAction => (made === undefined ? { name } : { name, made });

/** The API. Keys leave entries on routes of the level manage only. */
export const agentActions: ActionTable = {
  // Reads that take a body.
  'POST /quote': null,
  'POST /rentals/:rental_id/extend/quote': null,
  'POST /rentals/extend/quote': null,

  'POST /orders': action('order.create', 'order_no'),
  'POST /rentals/:rental_id/extend': action('rental.extend'),
  'POST /rentals/extend': action('rental.extend', 'order_no'),
  'POST /waitlist': action('waitlist.join', 'id'),
  'DELETE /waitlist/:id': action('waitlist.leave'),
  'PATCH /rentals/:rental_id': action('rental.change'),
  'POST /rentals/batch': action('rental.change', 'results'),
  'POST /rentals/reset': action('rental.reset', 'results'),
  'POST /rentals/:rental_id/reset': action('rental.reset'),
  'POST /rentals/xcode': action('rental.select_xcode', 'results'),
  'POST /rentals/:rental_id/xcode': action('rental.select_xcode'),
  'PUT /secrets/:name': action('secret.set'),
  'DELETE /secrets/:name': action('secret.delete'),
  'POST /webhooks': action('webhook.create', 'id'),
  'PATCH /webhooks/:webhook_id': action('webhook.change'),
  'DELETE /webhooks/:webhook_id': action('webhook.delete'),
  'POST /webhooks/:webhook_id/test': action('webhook.test'),
  'POST /webhooks/:webhook_id/rotate': action('webhook.rotate_secret'),
  'POST /webhooks/:webhook_id/redeliver': action('webhook.redeliver'),
  'POST /webhooks/:webhook_id/deliveries/:delivery_id/redeliver': action('webhook.redeliver'),

  'POST /uploads': action('upload.create', 'id'),
  'POST /uploads/tar': action('upload.create', 'id'),
  // Contents of an upload; the creation of the upload leaves the entry.
  'POST /uploads/:id/blobs': null,
  'POST /builds': action('build.create', 'id'),
  'POST /builds/:build_id/rerun': action('build.create', 'id'),
  'PATCH /builds/:build_id': action('build.prioritize'),
  'POST /builds/:build_id/cancel': action('build.cancel'),

  // Retired paths.
  'POST /jobs': null,
  'PUT /jobs': null,
  'PATCH /jobs': null,
  'DELETE /jobs': null,
  'POST /orders/:order_no/cancel': null,
  'DELETE /orders/:order_no': null,
};

/** The console's API. */
export const runnerActions: ActionTable = {
  'POST /v1/first-owner': action('organization.create_first'),
  'POST /v1/session': action('session.create'),
  'DELETE /v1/session': action('session.delete'),
  'PATCH /v1/session/user': action('user.change'),
  'POST /v1/session/password': action('user.change_password'),
  'POST /v1/session/confirm': action('session.confirm'),
  'DELETE /v1/sessions/:session_id': action('session.delete'),
  // A read that takes a body.
  'POST /v1/invites/lookup': null,
  'POST /v1/invites/accept': action('invite.accept'),
  'PATCH /v1/organizations/:org_id/members/:user_id': action('member.change'),
  'DELETE /v1/organizations/:org_id/members/:user_id': action('member.remove'),
  'POST /v1/organizations/:org_id/invites': action('invite.create', 'id'),
  'DELETE /v1/organizations/:org_id/invites/:invite_id': action('invite.revoke'),
  'POST /v1/organizations/:org_id/api-keys': action('api_key.create', 'id'),
  'DELETE /v1/organizations/:org_id/api-keys/:key_id': action('api_key.revoke'),
  // Concerns the person alone.
  'POST /v1/organizations/:org_id/notices/:notice_id/read': null,
  'POST /v1/organizations/:org_id/workspaces': action('workspace.create', 'id'),
  'PATCH /v1/organizations/:org_id/workspaces/:workspace_id': action('workspace.rename'),
  'DELETE /v1/organizations/:org_id/workspaces/:workspace_id': action('workspace.remove'),
  'POST /v1/organizations/:org_id/orders/:order_no/pay': action('order.pay'),
  'POST /v1/organizations/:org_id/orders/:order_no/confirm': action('order.confirm'),
  'POST /v1/organizations/:org_id/orders/:order_no/cancel': action('order.cancel'),
  'POST /v1/organizations/:org_id/builds/:build_id/share': action('build.share'),
  'DELETE /v1/organizations/:org_id/builds/:build_id/share': action('build.unshare'),
  'POST /v1/organizations/:org_id/topups': action('top_up.create', 'order_id'),
  'POST /v1/organizations/:org_id/topups/:order_id/pay': action('top_up.pay'),
  'POST /v1/organizations/:org_id/topups/:order_id/confirm': action('top_up.confirm'),
  'POST /v1/organizations/:org_id/topups/:order_id/cancel': action('top_up.cancel'),
  'POST /v1/organizations/:org_id/topups/:order_id/withdraw': action('top_up.withdraw'),
  'DELETE /v1/files/:file_id': action('file.delete'),
  // A read that takes a body.
  'POST /v1/jobs/:job_id/artifacts/contents': null,
  // Written for each key that is revoked, as LEAKED_KEY.
  'POST /v1/leaked-keys': null,
  // A message of the payment provider.
  'POST /v1/payments/portone/webhook': null,
};

/** The operator API. Each command is an action below; a wrong token is OPERATOR_TOKEN. */
export const operatorActions: ActionTable = { 'POST /v1/commands': null };

/** A key that was found in public and revoked. */
export const LEAKED_KEY = 'api_key.revoke_leaked';
/** A request to the operator API with a wrong token. */
export const OPERATOR_TOKEN = 'operator.authenticate';

/** A machine enrolls as a host with a token, or asks for approval. */
export const HOST_JOINED = 'host.join';
/** Two agents connect with the credential of one host. */
export const HOST_CONNECTED = 'host.connect';

/** Commands of `cidermill admin`, by name. */
export const commandActions: Readonly<Record<string, string | null>> = {
  'org create': 'organization.create',
  'org list': null,
  'org show': null,
  'org set-limits': 'organization.set_limits',
  'org suspend': 'organization.suspend',
  'org resume': 'organization.resume',
  'org block-payments': 'organization.block_payments',
  'org unblock-payments': 'organization.unblock_payments',
  'user create': 'user.create',
  'user set-password': 'user.set_password',
  'user set-workspaces': 'user.set_workspaces',
  'member list': null,
  'member invite': 'invite.create',
  'member set': 'member.change',
  'member remove': 'member.remove',
  'user list': null,
  'workspace create': 'workspace.create',
  'workspace list': null,
  'workspace rename': 'workspace.rename',
  'workspace remove': 'workspace.remove',
  'key create': 'api_key.create',
  'key list': null,
  'key revoke': 'api_key.revoke',
  'tier add': 'tier.create',
  'tier edit': 'tier.change',
  'tier show': null,
  'tier list': null,
  'host enroll': 'host.enroll',
  'host token list': null,
  'host token revoke': 'host.revoke_token',
  'host list': null,
  'host approve': 'host.approve',
  'host set': 'host.change',
  'host set-tier': 'host.change',
  'host drain': 'host.drain',
  'host undrain': 'host.undrain',
  'host cordon': 'host.cordon',
  'host remove': 'host.remove',
  'host move-to': 'host.move',
  'host show': null,
  'host upgrade': 'host.upgrade',
  'image list': null,
  'image show': null,
  'image pull': 'image.pull',
  'notices list': null,
  'notices test': 'notices.test',
  'order refund': 'order.refund',
  'order cancel': 'order.cancel',
  'payment list': null,
  'payment settle': 'payment.settle',
  'credit show': null,
  'credit adjust': 'credit.adjust',
  'rental grant': 'rental.grant',
  'rental end': 'rental.end',
  'rental list': null,
  backup: 'database.backup',
  'secrets rotate-key': 'secrets.rotate_key',
  'secrets check': null,
  audit: null,
};

/** Returns the action of a command; a command that is not in the table is audited by its name. */
export function commandAction(words: string): string | null {
  const listed = Object.hasOwn(commandActions, words) ? commandActions[words] : undefined;
  return listed === undefined ? words : listed;
}

/** Returns the routes with their actions. A changing route that is not in the table is audited as `METHOD /path`. */
export function withActions<R extends { readonly method: string; readonly path: string }>(
  table: ActionTable,
  routes: readonly R[],
): (R & { readonly action: RouteAction | null })[] {
  return routes.map((route) => {
    const name = `${route.method} ${route.path}`;
    const listed = Object.hasOwn(table, name) ? table[name] : undefined;
    const unlisted = route.method === 'GET' ? null : { name };
    return { ...route, action: listed === undefined ? unlisted : listed };
  });
}
