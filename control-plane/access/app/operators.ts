// The people who operate the service.
import type { Queries } from '../../platform/store/sql.js';
import { listOperatorEmails } from '../store/users.js';

export const operatorEmails = (q: Queries): Promise<string[]> => listOperatorEmails(q);
