// Where things lie below `--data`: the service and the admin commands must agree.
import { join } from 'node:path';

export interface DataFolder {
  readonly database: string;
  /** Keys of the secrets at rest; in no backup of the database. */
  readonly keyFile: string;
}

/** @param data the folder, absolute */
export function dataFolder(data: string): DataFolder {
  return { database: join(data, 'cidermill.db'), keyFile: join(data, 'secret.key') };
}
