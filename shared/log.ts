import { type DestinationStream, type Logger, pino } from 'pino';
import { redact } from './redact.js';

export type Log = Logger;

/**
 * The process's own log (not a build's): JSON lines, on standard error unless another stream is given.
 * Values that may carry a credential are removed wherever they stand in a logged object, and what looks like one is
 * replaced in every line, the messages of errors included.
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
