import type { Migration } from '../migrate.js';

/** The text of a mail with a secret in it, such as the link of an invitation. */
export const sealedMails: Migration = {
  id: 48,
  name: 'sealed-mails',
  statements: ['ALTER TABLE mails ADD COLUMN sealed BLOB'],
};
