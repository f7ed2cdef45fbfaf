import path from 'node:path';
import { z } from 'zod';
import { cleanText } from '../../../shared/clean-text.js';
import { vmToolFields, vmToolKind } from '../vm/tool-kind.js';
import { createLume } from './lume.js';

const config = z.strictObject({
  path: z.string().min(1).default('lume'),
  /** Folder of images and virtual machines; null: `lume` in the agent's data folder. */
  home: z.string().nullable().default(null),
  ...vmToolFields,
  user: vmToolFields.user.default('lume'),
  password: vmToolFields.password.default('lume'),
});

const defaultHome = ({ dataDir }: { readonly dataDir: string }) => path.join(dataDir, 'lume');

export const lumeKind = vmToolKind({
  config,
  settings: ({ home }) => ({ home, guest: 'ssh', pull_concurrency: 1 }),
  defaultHome,
  // Only one agent uses a data folder.
  sharesHome: false,
  open: ({ home, data_dir: dataDir, ...options }) => createLume({ ...options, home: home ?? defaultHome({ dataDir }) }),
  deleteCommand: (folder) => `lume delete --storage ${cleanText(folder, 1000)}`,
  oldest: '0.5.0',
  license: { now: 'mit', before: null },
});
