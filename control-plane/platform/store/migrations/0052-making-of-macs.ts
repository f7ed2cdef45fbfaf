// What a host says of a Mac that it makes: how far it is, and why it cannot; and of an image that it fetches: how many bytes.
import type { Migration } from '../migrate.js';

export const makingOfMacs: Migration = {
  id: 52,
  name: 'making-of-macs',
  statements: [
    'ALTER TABLE macs ADD COLUMN making TEXT',
    'ALTER TABLE host_images ADD COLUMN fetched_bytes INTEGER',
    'ALTER TABLE host_images ADD COLUMN fetch_bytes INTEGER',
  ],
};
