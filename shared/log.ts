import { type DestinationStream, type Logger, pino } from 'pino';
import { redact } from './redact.js';

export type Log = Logger;

/**
 * Creates the log of this process (not of a build): JSON lines, on standard error by default. Credentials are removed
 * from logged objects by field name, and masked by pattern in every line, including error messages.
 */
export function createLog(
  name: string,
  level = process.env.CIDERMILL_LOG_LEVEL ?? 'info',
  stream: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Log {
  return pino(
    {
      name,
      level,
      redact: {
        paths: ['*.authorization', '*.cookie', 'secrets', '*.secrets', '*.credential', '*.token', '*.value'],
        remove: true,
      },
      hooks: { streamWrite: redact },
    },
    stream,
  );
}
