import { z } from 'zod';
import type { Notice } from '../domain/notice.js';

export const noticeShape = z
  .object({
    id: z.string(),
    kind: z.string(),
    subject: z.string(),
    text: z.string(),
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
