import { z } from 'zod';
import type { Notice } from '../domain/notice.js';

const noticeTextShape = z.object({ subject: z.string(), text: z.string() });

export const noticeShape = z
  .object({
    id: z.string(),
    kind: z.string(),
    subject: z.string(),
    text: z.string(),
    translations: z
      .object({ ko: noticeTextShape.optional() })
      .meta({ description: 'Of `subject` and `text`, by language' }),
    created_at: z.string(),
    read: z.boolean().meta({ description: 'By the person who asks' }),
  })
  .meta({ id: 'Notice' });

export function noticeView({
  noticeId,
  createdAt,
  ...notice
}: Notice & { readonly read: boolean }): z.infer<typeof noticeShape> {
  return { id: noticeId, ...notice, created_at: new Date(createdAt).toISOString() };
}
