// The shape of a request that a response suggests.
import { z } from 'zod';

export const nextRequestShape = z
  .object({
    action: z.string().meta({ description: 'What it is for, in a word or two' }),
    method: z.string(),
    path: z.string().meta({ description: 'The whole path from the site’s root' }),
    body: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({
    id: 'NextRequest',
    description: 'A request that the service suggests next; method, path and body can be sent as they stand',
  });
