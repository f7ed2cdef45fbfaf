import { resolve } from 'node:path';
import { localOperator, runAudited } from './audited.js';
import type { Call, Result } from './command.js';
import { createAdminService, withBase } from './service.js';

/**
 * Runs a command on the database of a data folder of this machine. The package of the command line, which has no database, has
 * an error instead (tools/package).
 */
export function performHere(call: Call): Promise<Result> {
  return withBase(resolve(call.target.data), (base) => runAudited(base, createAdminService, call, localOperator()));
}
