// The operator API in this process, on the database of a data folder: whether or not a service is running.
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { buildLocalApi } from '../compose/http/local-api.js';
import { createOperatorRoutes } from '../compose/operator-api.js';
import { localOperator } from '../platform/domain/operator.js';
import { openBase } from './open-base.js';
import { createOperatorClient, type OperatorClient } from './operator-client.js';
import { composeHere } from './service.js';

/**
 * The package of the command line, which has no database, has an error instead (tools/package). Throws NoDatabaseError.
 *
 * @example
 * const here = await openHere('/var/lib/cidermill');
 * await here.run(editTier, { tier: 'm4', sales_open: false });
 * await here.close();
 */
export async function openHere(data: string, options: Parameters<typeof openBase>[1] = {}): Promise<OperatorClient> {
  const base = await openBase(resolve(data), options);
  const service = composeHere(base);
  const operator = localOperator({ id: String(process.getuid?.() ?? ''), name: userName() });
  const api = buildLocalApi(base, createOperatorRoutes(service, true), operator, service.auditLog);
  return createOperatorClient(api.send, data, async () => {
    await api.close();
    await service.auditLog.close();
    await service.apiKeys.close();
    await base.store.close();
  });
}

/** Null for a user without a name, as in some containers. */
function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
