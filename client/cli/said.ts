// Says messages of the service from their codes and values. A service of an older version has only the texts.
import { buildWarnings } from '../../shared/messages/build-warnings.js';
import { deliveryErrors } from '../../shared/messages/delivery-errors.js';
import { type Message, say, type Table } from '../../shared/messages/message.js';
import type { Build } from '../types.js';

const said = <T extends string | null>(
  table: Table,
  message: Message | null | undefined,
  text: T,
): string | T => (message ? say(table, 'en', message) : text);

export const warningsOf = (build: Pick<Build, 'warnings'> & Partial<Build>): string[] =>
  build.warnings.map((text, at) => said(buildWarnings, build.warning_messages?.[at], text));

export const deliveryError = (failed: {
  error: string | null;
  error_message?: Message | null;
}): string | null => said(deliveryErrors, failed.error_message, failed.error);
