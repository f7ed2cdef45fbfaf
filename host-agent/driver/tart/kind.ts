import path from 'node:path';
import { z } from 'zod';
import { vmToolFields, vmToolKind } from '../vm/tool-kind.js';
import { createTart } from './tart.js';

const config = z.strictObject({
  /** The executable, or a name that is looked up on the agent's PATH. */
  path: z.string().min(1).default('tart'),
  /** TART_HOME; null: that of the agent's environment, else `~/.tart`. */
  home: z.string().nullable().default(null),
  /** How to reach guests; auto: by `tart exec` if the image has its guest agent, else by ssh. */
  guest: z.enum(['auto', 'exec', 'ssh']).default('auto'),
  ...vmToolFields,
  user: vmToolFields.user.default('admin'),
  password: vmToolFields.password.default('admin'),
  /** Connections of one pull. */
  pull_concurrency: z.int().min(1).max(32).default(4),
});

export const tartKind = vmToolKind({
  config,
  settings: ({ home, guest, pull_concurrency }, env) => ({
    home: home ?? env.TART_HOME ?? null,
    guest,
    pull_concurrency,
  }),
  defaultHome: ({ userHome }) => path.join(userHome, '.tart'),
  sharesHome: true,
  open: ({ pull_concurrency: pullConcurrency, ...options }) => createTart({ ...options, pullConcurrency }),
  deleteCommand: () => 'tart delete',
  oldest: '2.30.0',
  // The Functional Source License; earlier versions were under the Fair Source License.
  license: { now: 'fsl', before: { version: '2.33.0', license: 'fair_source' } },
});
