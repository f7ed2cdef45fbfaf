// The people who operate the service.
import type { MailRecipient } from '../../platform/domain/person.js';
import type { Queries } from '../../platform/store/sql.js';
import { listOperators } from '../store/users.js';

export const operatorRecipients = async (q: Queries): Promise<MailRecipient[]> =>
  (await listOperators(q)).map(({ email, language }) => ({ email, language: language ?? 'en' }));
