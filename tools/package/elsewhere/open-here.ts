// Takes the place of control-plane/admin/open-here.ts in the package of the command line.
import { NoDatabaseError } from '../../../control-plane/admin/no-database.js';

export async function openHere(): Promise<never> {
  throw new NoDatabaseError(
    'this package contains only the command line: name a service with CIDERMILL_OPERATOR_URL and CIDERMILL_OPERATOR_TOKEN, ' +
      'or run the command on the machine of the service',
  );
}
