import type { Migration } from '../migrate.js';

/** The language of mails to a person, and notices in other languages than English. */
export const languagesOfPeople: Migration = {
  id: 45,
  name: 'languages-of-people',
  statements: [
    'ALTER TABLE users ADD COLUMN language TEXT',
    `ALTER TABLE notices ADD COLUMN translations TEXT NOT NULL DEFAULT '{}'`,
    `ALTER TABLE operator_problems ADD COLUMN translations TEXT NOT NULL DEFAULT '{}'`,
  ],
};
