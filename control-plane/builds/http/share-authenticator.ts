import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Authenticate } from '../../platform/http/mount-api.js';
import type { BuildSharing } from '../app/build-sharing.js';

/**
 * Authenticates requests below a build's link: the token in the path admits to that build only. Cookies and keys are
 * ignored.
 */
export function createShareAuthenticator(deps: {
  sharing: Pick<BuildSharing, 'open'>;
  clientIp(request: FastifyRequest): string;
}): Authenticate {
  return async (request) => {
    const { token = '', build_id: wanted } = request.params as { token?: string; build_id?: string };
    const { buildId, caller } = await deps.sharing.open(token, deps.clientIp(request));
    if (wanted !== buildId) throw new ApiError('build_not_found');
    return caller;
  };
}
