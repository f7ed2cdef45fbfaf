// What a notice to an organization says is kept as a code with values. Those that there are keep their sentences:
// `{"en":{"subject":…,"text":…},"ko":…}`, where `translations` is `{}` or has the languages besides English.
import type { Migration } from '../migrate.js';

export const messagesOfNotices = {
  id: 73,
  name: 'messages-of-notices',
  statements: [
    `ALTER TABLE notices ADD COLUMN code TEXT NOT NULL DEFAULT 'stored'`,
    `ALTER TABLE notices ADD COLUMN params TEXT NOT NULL DEFAULT '{}'`,
    `UPDATE notices SET params =
       '{"en":{"subject":' || json_quote(subject) || ',"text":' || json_quote(text) || '}' ||
       CASE translations WHEN '{}' THEN '}' ELSE ',' || substr(translations, 2) END`,
    'ALTER TABLE notices DROP COLUMN subject',
    'ALTER TABLE notices DROP COLUMN text',
    'ALTER TABLE notices DROP COLUMN translations',
  ],
} as const satisfies Migration;
