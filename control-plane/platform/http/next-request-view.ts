// The shape of a request that a response suggests.
import { z } from 'zod';

export const nextRequestShape = z
  .object({
    action: z.string().meta({ title: 'What it is for, in a word or two' }),
    method: z.string(),
    path: z.string().meta({ description: 'From the site’s root' }),
    body: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({
    id: 'NextRequest',
    description: 'A request that can be sent unchanged',
  });
