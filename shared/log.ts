import { type DestinationStream, type Logger, pino } from 'pino';
import { redact } from './redact.js';

export type Log = Logger;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** @throws Error that describes the expected values */
export function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((one) => one === text);
  if (level === undefined) throw new Error(`expected one of ${logLevels.join(', ')}, got "${text}"`);
  return level;
}

/**
 * Creates the log of this process (not of a build): JSON lines, on standard error by default. Credentials are removed
 * from logged objects by field name, and masked by pattern in every line, including error messages.
 */
export function createLog(
  name: string,
  level: string = configuredLevel(),
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

/** An invalid level is reported by the check of the configuration, which needs a log itself. */
function configuredLevel(): LogLevel {
  const given = process.env.CIDERMILL_LOG_LEVEL;
  return logLevels.find((level) => level === given) ?? 'info';
}
