import type { Migration } from '../migrate.js';

export const titlesOfCommits: Migration = {
  id: 64,
  name: 'titles-of-commits',
  statements: ['ALTER TABLE builds ADD COLUMN commit_title TEXT', 'ALTER TABLE builds ADD COLUMN commit_author TEXT'],
};
