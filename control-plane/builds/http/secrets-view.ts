import { z } from 'zod';
import { time } from '../../platform/http/values.js';
import { type ListedSecret, SECRET_KINDS, type StoredSecret } from '../domain/secret.js';

const listed = z
  .object({
    name: z.string(),
    created_at: time,
    updated_at: time,
    readable: z.boolean().meta({
      description:
        'False: set it again or remove it. The service has lost the key that opens it, and builds fail until then.',
    }),
    masked: z
      .boolean()
      .nullable()
      .meta({ description: 'False: too short to be masked in logs, or blank; null: not readable' }),
    kind: z.enum(SECRET_KINDS).nullable().meta({ description: 'file: the variable has its path' }),
  })
  .meta({ id: 'ListedSecret', title: 'A build secret; its value is never shown' });

export const secretListShape = z.object({ secrets: z.array(listed) }).meta({ id: 'SecretList' });
export const secretShape = listed
  .extend({
    warning: z.string().nullable(),
  })
  .meta({ id: 'Secret', title: 'A build secret that was just stored' });
export const secretDeletedShape = z.object({ name: z.string(), deleted: z.literal(true) });

export function listedSecretView(stored: ListedSecret): z.infer<typeof listed> {
  return {
    name: stored.name,
    created_at: new Date(stored.createdAt).toISOString(),
    updated_at: new Date(stored.updatedAt).toISOString(),
    readable: stored.readable,
    masked: stored.masked,
    kind: stored.kind,
  };
}

export function secretView(stored: StoredSecret): z.infer<typeof secretShape> {
  return {
    ...listedSecretView({ ...stored, readable: true }),
    warning: stored.masked ? null : 'The value has fewer than 3 bytes besides blanks and is not masked in logs.',
  };
}
