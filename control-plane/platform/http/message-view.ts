// A message for people: what it says as a code with values, for programs and other languages, and in English.
import { z } from 'zod';
import type { Message } from '../../../shared/messages/message.js';

export const messageShape = z
  .object({
    code: z.string().nullable().meta({ description: 'Identifies the sentence; null: only the text is known' }),
    params: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .meta({ description: 'The values in the sentence, by name' }),
    text: z.string().meta({ description: 'The sentence in English' }),
  })
  .meta({
    id: 'Message',
    description: 'A sentence for people; show `text` for an unknown code. More codes may be added.',
  });

export const messageView = ({ code, params, text }: Message): z.infer<typeof messageShape> => ({
  code,
  params: { ...params },
  text,
});

/** The fields of an error: its text, as before there were messages, and the message. */
export const errorShapes = {
  error: z.string().nullable(),
  error_message: messageShape.nullable().meta({ description: '`error` as a code with values' }),
};

export const errorView = ({ error }: { readonly error: Message | null }) => ({
  error: error?.text ?? null,
  error_message: error && messageView(error),
});
