import { type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * The process's own log (not a build's): JSON lines on standard error.
 * Values that may carry a credential are removed wherever they stand in a logged object.
 */
export function createLog(name: string, level = process.env.CIDERMILL_LOG_LEVEL ?? 'info'): Log {
  return pino(
    {
      name,
      level,
      redact: {
        paths: ['*.authorization', '*.cookie', 'secrets', '*.secrets', '*.credential', '*.token', '*.value'],
        remove: true,
      },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}
