// Backup, and the key that seals secrets.
import { z } from 'zod';
import { operation } from '../../platform/http/operation.js';
import { count } from '../../platform/http/values.js';
import type { Rotation } from '../key-rotation.js';

interface Deps {
  backup(file: string): Promise<void>;
  rotateKey(): Promise<Rotation>;
}

export const backup = operation<Deps>()({
  name: 'backup',
  summary: 'Write a consistent copy of the database while the service runs',
  input: z.object({ file: z.string().meta({ description: 'Absolute path of the new file' }) }),
  output: z.object({ file: z.string() }),
  audit: { name: 'database.backup', concerns: [] },
  confirm: false,
  access: 'machine',
  errors: ['invalid_request'],
  async run(deps, { file }) {
    await deps.backup(file);
    return { file };
  },
});

export const rotateSecretsKey = operation<Deps>()({
  name: 'secrets.rotate-key',
  summary: 'Create a new key and encrypt everything with it',
  input: z.object({}),
  output: z.object({
    key_id: z.string(),
    resealed: count.meta({ description: 'Values encrypted with the new key' }),
    unreadable: count.meta({ description: 'Values that cannot be decrypted; they stay as they are' }),
  }),
  audit: { name: 'secrets.rotate_key', concerns: [] },
  confirm: true,
  access: 'token',
  errors: ['secrets_unavailable'],
  async run({ rotateKey }) {
    const { keyId, resealed, unreadable } = await rotateKey();
    return { key_id: keyId, resealed, unreadable };
  },
});

export const maintenanceOperations = [backup, rotateSecretsKey];
