// The actions in the audit log that are not those of routes: each route names its action itself.
import type { RouteAction } from '../../platform/domain/audit-entry.js';

/** A key that was found in public and revoked. */
export const LEAKED_KEY = 'api_key.revoke_leaked';
/** A person links an account at the identity provider, or the first sign-in with it does. */
export const IDENTITY_LINKED = 'user.link_identity';
/** A request to the operator API with a wrong token. */
export const OPERATOR_TOKEN = 'operator.authenticate';

/** A machine enrolls as a host with a token, or asks for approval. */
export const HOST_JOINED = 'host.join';
/** Two agents connect with the credential of one host. */
export const HOST_CONNECTED = 'host.connect';

/** All actions of an organization that are not those of routes. */
export const otherActions: readonly RouteAction[] = [{ name: LEAKED_KEY, concerns: ['keys', 'workspaces'] }];
