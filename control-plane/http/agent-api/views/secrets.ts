import { z } from 'zod';
import type { SecretName } from '../../../domain/secret.js';
import { time } from '../../values.js';

const secret = z
  .object({ name: z.string(), created_at: time, updated_at: time })
  .meta({ id: 'ListedSecret', description: 'A build secret; its value is never shown' });

export const secretListShape = z.object({ secrets: z.array(secret) }).meta({ id: 'SecretList' });
export const secretShape = secret
  .extend({
    masked: z.boolean().meta({ description: 'False: too short to be masked in logs' }),
    warning: z.string().nullable(),
  })
  .meta({ id: 'Secret', description: 'A build secret that was just stored' });
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
