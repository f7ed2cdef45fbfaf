import { type Logger, pino } from 'pino';
import { systemClock } from './clock.js';
import { countLosses, type LogOutput, standardOutput } from './log-output.js';
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
 * from logged objects by field name, and masked by pattern in every line, including error messages. Lines that cannot
 * be written (full disk, closed pipe) are counted, and the log says how many once it can be written again.
 */
export function createLog(name: string, level: string = configuredLevel(), output: LogOutput = standardOutput(2)): Log {
  let note = '';
  const write = (line: string) => {
    note = line;
  };
  const notes = pino({ name }, { write });
  const stream = countLosses(output, systemClock.now, ({ lines, since, error }) => {
    const fields = { lost_lines: lines, since: new Date(since).toISOString(), reason: String(error) };
    notes.error(fields, 'log lines were lost, because the log could not be written');
    return note;
  });
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
