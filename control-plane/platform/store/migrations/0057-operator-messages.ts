// Why an upgrade of agents or the pull of an image failed, as code, values and text (JSON).
import type { Migration } from '../migrate.js';

export const operatorMessages: Migration = {
  id: 57,
  name: 'operator-messages',
  statements: [
    'ALTER TABLE rollouts ADD COLUMN error_message TEXT',
    'ALTER TABLE rollouts ADD COLUMN error_host TEXT',
    'ALTER TABLE rollout_hosts ADD COLUMN error_message TEXT',
    'ALTER TABLE image_pulls ADD COLUMN error_message TEXT',
    'ALTER TABLE host_images ADD COLUMN error_message TEXT',
  ],
};
