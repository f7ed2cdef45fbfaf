// Flags of `cidermill dev`. Each has a CIDERMILL_* variable; the flag takes precedence.
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';

export interface DevOptions {
  data: string;
  port: number;
  macs: number;
  free: number;
  requestsPerMinute: number | undefined;
  testClock: boolean;
  json: boolean;
}

const whole = (most: number) => (text: string) => {
  const n = Number(text);
  if (!/^\d+$/.test(text) || n > most)
    throw new InvalidArgumentError(`expected a whole number from 0 to ${most}.`);
  return n;
};

/** Rejects an empty folder name, which would mean the current folder. */
const notEmpty = (text: string) => {
  if (text === '') throw new InvalidArgumentError('expected the name of a folder.');
  return text;
};

/** Returns the options. Throws CommanderError for an invalid flag; the caller sets exit code 64. */
export function parseDevOptions(argv: readonly string[]): DevOptions {
  const command = new Command('cidermill dev')
    .description(
      'Run the whole service on this machine: control plane, one host with local Macs, a demo account.',
    )
    .addOption(
      new Option('--data <dir>', 'where everything is kept')
        .argParser(notEmpty)
        .default('./.cidermill')
        .env('CIDERMILL_DATA'),
    )
    .addOption(
      new Option('--port <n>', 'port on 127.0.0.1, 0 for any free one')
        .argParser(whole(65_535))
        .default(8460)
        .env('CIDERMILL_PORT'),
    )
    .addOption(
      new Option('--macs <n>', 'Macs rented to the demo account for 30 days')
        .argParser(whole(64))
        .default(2)
        .env('CIDERMILL_MACS'),
    )
    .addOption(
      new Option('--free <m>', 'further Macs, free to rent')
        .argParser(whole(64))
        .default(2)
        .env('CIDERMILL_FREE'),
    )
    .addOption(
      new Option('--requests-per-minute <n>', 'limit for each API key, and for all keys of an account')
        .argParser(whole(10_000_000))
        .env('CIDERMILL_REQUESTS_PER_MINUTE'),
    )
    .addOption(
      new Option('--test-clock', 'allow POST /dev/clock to move time forward').env('CIDERMILL_TEST_CLOCK'),
    )
    .addOption(new Option('--json', 'print one line of JSON when ready'))
    .exitOverride();
  const options = command.parse(argv as string[], { from: 'user' }).opts<{
    data: string;
    port: number;
    macs: number;
    free: number;
    requestsPerMinute?: number;
    testClock?: boolean;
    json?: boolean;
  }>();
  return {
    data: resolve(options.data),
    port: options.port,
    macs: options.macs,
    free: options.free,
    requestsPerMinute: options.requestsPerMinute,
    testClock: options.testClock ?? false,
    json: options.json ?? false,
  };
}
