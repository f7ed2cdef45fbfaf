// The actions in the audit log that are not those of routes: each route names its action itself. Null: a command that changes
// nothing. A command that is missing here is audited by its command line, and a test fails.
import type { RouteAction } from '../../platform/domain/audit-entry.js';

/** A key that was found in public and revoked. */
export const LEAKED_KEY = 'api_key.revoke_leaked';
/** A request to the operator API with a wrong token. */
export const OPERATOR_TOKEN = 'operator.authenticate';

/** A machine enrolls as a host with a token, or asks for approval. */
export const HOST_JOINED = 'host.join';
/** Two agents connect with the credential of one host. */
export const HOST_CONNECTED = 'host.connect';

const ofOrganization = ['status', 'usage', 'members', 'workspaces'] as const;

/** Commands of `cidermill admin`, by name. */
export const commandActions: Readonly<Record<string, RouteAction | null>> = {
  'org create': { name: 'organization.create', concerns: ofOrganization },
  'org list': null,
  'org show': null,
  'org set-limits': { name: 'organization.set_limits', concerns: ofOrganization },
  'org suspend': { name: 'organization.suspend', concerns: ofOrganization },
  'org resume': { name: 'organization.resume', concerns: ofOrganization },
  'org block-payments': { name: 'organization.block_payments', concerns: ofOrganization },
  'org unblock-payments': { name: 'organization.unblock_payments', concerns: ofOrganization },
  'user create': { name: 'user.create', concerns: ['members'] },
  'user set-password': { name: 'user.set_password', concerns: ['members'] },
  'user set-workspaces': { name: 'user.set_workspaces', concerns: ['members'] },
  'member list': null,
  'member invite': { name: 'invite.create', concerns: ['invites', 'members', 'workspaces'] },
  'member set': { name: 'member.change', concerns: ['members', 'workspaces'] },
  'member remove': { name: 'member.remove', concerns: ['members', 'workspaces'] },
  'user list': null,
  'workspace create': { name: 'workspace.create', concerns: ['workspaces', 'members'] },
  'workspace list': null,
  'workspace rename': { name: 'workspace.rename', concerns: ['workspaces', 'members'] },
  'workspace remove': { name: 'workspace.remove', concerns: ['workspaces', 'members'] },
  'key create': { name: 'api_key.create', concerns: ['keys', 'workspaces'] },
  'key list': null,
  'key revoke': { name: 'api_key.revoke', concerns: ['keys', 'workspaces'] },
  'tier add': { name: 'tier.create', concerns: [] },
  'tier edit': { name: 'tier.change', concerns: [] },
  'tier show': null,
  'tier list': null,
  'host enroll': { name: 'host.enroll', concerns: [] },
  'host token list': null,
  'host token revoke': { name: 'host.revoke_token', concerns: [] },
  'host list': null,
  'host approve': { name: 'host.approve', concerns: [] },
  'host set': { name: 'host.change', concerns: [] },
  'host set-tier': { name: 'host.change', concerns: [] },
  'host drain': { name: 'host.drain', concerns: [] },
  'host undrain': { name: 'host.undrain', concerns: [] },
  'host cordon': { name: 'host.cordon', concerns: [] },
  'host remove': { name: 'host.remove', concerns: [] },
  'host move-to': { name: 'host.move', concerns: [] },
  'host show': null,
  'host upgrade': { name: 'host.upgrade', concerns: [] },
  'image list': null,
  'image show': null,
  'image pull': { name: 'image.pull', concerns: [] },
  'notices list': null,
  'notices test': { name: 'notices.test', concerns: [] },
  'order refund': { name: 'order.refund', concerns: ['topups', 'ledger'] },
  'order cancel': { name: 'order.cancel', concerns: ['topups', 'ledger'] },
  'payment list': null,
  'payment settle': { name: 'payment.settle', concerns: [] },
  'credit show': null,
  'credit adjust': { name: 'credit.adjust', concerns: ['ledger', 'topups'] },
  'rental grant': { name: 'rental.grant', concerns: ['macs', 'mac', 'jobs', 'queue', 'status'] },
  'rental end': { name: 'rental.end', concerns: ['macs', 'mac', 'jobs', 'queue', 'status'] },
  'rental list': null,
  backup: { name: 'database.backup', concerns: [] },
  'secrets rotate-key': { name: 'secrets.rotate_key', concerns: [] },
  'secrets check': null,
  audit: null,
};

/** All actions of an organization that are not those of routes. */
export const otherActions: readonly RouteAction[] = [
  { name: LEAKED_KEY, concerns: ['keys', 'workspaces'] },
  ...Object.values(commandActions).filter((action) => action !== null),
];

/** Returns the action of a command; a command that is not in the table is audited by its name. */
export function commandAction(words: string): string | null {
  const listed = Object.hasOwn(commandActions, words) ? commandActions[words] : undefined;
  return listed === undefined ? words : (listed?.name ?? null);
}
