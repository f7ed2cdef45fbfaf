// The schema with which this history begins: the migrations before it were made before the first release and are folded into it.
// Times are ms since the epoch, JSON is text; what a column means is said where the fields of its table are declared.
import type { Migration } from '../migrate.js';
import { accessTables } from './schema/access.js';
import { buildsTables } from './schema/builds.js';
import { eventsTables } from './schema/events.js';
import { hostsTables } from './schema/hosts.js';
import { macsTables } from './schema/macs.js';
import { operatorsTables } from './schema/operators.js';
import { paymentsTables } from './schema/payments.js';
import { platformTables } from './schema/platform.js';
import { rentingTables } from './schema/renting.js';
import { uploadsTables } from './schema/uploads.js';

export const schema: Migration = {
  id: 65,
  name: 'schema',
  statements: [
    ...platformTables,
    ...accessTables,
    ...hostsTables,
    ...macsTables,
    ...uploadsTables,
    ...buildsTables,
    ...rentingTables,
    ...paymentsTables,
    ...eventsTables,
    ...operatorsTables,
  ],
};
