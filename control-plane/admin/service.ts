// The use cases of operators on the database of a data folder, whether or not a service is running.
import { composeAccess } from '../compose/access.js';
import { composeHosts } from '../compose/hosts.js';
import { composeOperatorService, type OperatorService } from '../compose/operator-service.js';
import { composePackages } from '../compose/packages.js';
import { composePayments } from '../compose/payments.js';
import type { Base } from '../compose/platform.js';
import { composeOrders } from '../compose/renting.js';
import { openBase } from './open-base.js';

/** Opens the folder's database, runs `work`, and closes it. Throws NoDatabaseError. */
export async function withService<T>(data: string, work: (service: OperatorService) => Promise<T>): Promise<T> {
  const base = await openBase(data);
  try {
    return await work(composeHere(base));
  } finally {
    await base.store.close();
  }
}

/** Composes what operators need on the store of `base`. */
export function composeHere(base: Base): OperatorService {
  const { packages } = composePackages(base);
  const orders = composeOrders(base);
  return composeOperatorService(base, {
    ...composeAccess(base),
    ...composeHosts(base, packages),
    ...orders,
    ...composePayments(base, orders),
    packages,
  });
}
