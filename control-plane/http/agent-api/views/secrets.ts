import { z } from 'zod';
import type { SecretName } from '../../../domain/secret.js';

const secret = z.object({ name: z.string(), created_at: z.string(), updated_at: z.string() });

export const secretListShape = z.object({ secrets: z.array(secret) }).meta({ id: 'SecretList' });
export const secretShape = secret
  .extend({
    /** False: too short to be masked in logs. */
    masked: z.boolean(),
    warning: z.string().nullable(),
  })
  .meta({ id: 'Secret' });
export const secretDeletedShape = z.object({ name: z.string(), deleted: z.literal(true) });

export function secretNameView({ name, createdAt, updatedAt }: SecretName): z.infer<typeof secret> {
  return {
    name,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}

export function secretView(stored: SecretName & { masked: boolean }): z.infer<typeof secretShape> {
  return {
    ...secretNameView(stored),
    masked: stored.masked,
    warning: stored.masked ? null : 'The value is shorter than 3 bytes and is not masked in logs.',
  };
}
