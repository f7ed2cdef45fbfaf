// Schemas of hosts' requests below /link/v1; see shared/protocol/kinds.ts.
import { z } from 'zod';
import { artifactName, id, limited, sha256Hex } from '../../../shared/protocol/kinds.js';

export const buildPath = z.object({ build_id: id(), attempt: z.coerce.number().int().min(1) });
/** A value that is no SHA-256 is ignored: the whole manifest is right for every host. */
export const manifestQuery = z.object({ since: sha256Hex.optional().catch(undefined) });
export const blobsBody = z.object({ sha256: limited(sha256Hex, 200_000, 1) });
export const artifactQuery = z.object({ name: artifactName(), executable: z.literal('1').optional() });
export const artifactHeaders = z.object({
  'x-sha256': sha256Hex,
  'content-length': z.coerce.number().int().min(0),
});
