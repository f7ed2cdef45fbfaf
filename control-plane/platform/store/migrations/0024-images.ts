// Images of tiers: the digest that a tag was resolved to, what an image offers, and what hosts have of it.
import type { Migration } from '../migrate.js';

export const images: Migration = {
  id: 24,
  name: 'images',
  statements: [
    `ALTER TABLE tiers ADD COLUMN image_digest TEXT`,
    `ALTER TABLE tiers ADD COLUMN replaced_digest TEXT`,
    // The values of existing tiers were set by an operator.
    `ALTER TABLE tiers ADD COLUMN from_image TEXT NOT NULL DEFAULT '[]'`,
    `CREATE TABLE image_offers (
       tier TEXT NOT NULL REFERENCES tiers (tier),
       digest TEXT NOT NULL,
       offers TEXT NOT NULL,
       host_id TEXT NOT NULL,
       created_at INTEGER NOT NULL,
       PRIMARY KEY (tier, digest)
     )`,
    `CREATE TABLE host_images (
       host_id TEXT NOT NULL REFERENCES hosts (host_id),
       position INTEGER NOT NULL,
       image TEXT NOT NULL,
       digest TEXT,
       state TEXT NOT NULL,
       percent INTEGER,
       bytes INTEGER,
       error TEXT,
       differs INTEGER NOT NULL,
       changed_at INTEGER NOT NULL,
       PRIMARY KEY (host_id, position)
     )`,
    `CREATE TABLE image_pulls (
       host_id TEXT NOT NULL REFERENCES hosts (host_id),
       tier TEXT NOT NULL REFERENCES tiers (tier),
       status TEXT NOT NULL,
       error TEXT,
       created_at INTEGER NOT NULL,
       started_at INTEGER,
       ended_at INTEGER,
       PRIMARY KEY (host_id, tier)
     )`,
    `ALTER TABLE hosts ADD COLUMN blocked TEXT`,
  ],
};
