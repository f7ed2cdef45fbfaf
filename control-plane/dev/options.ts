// Flags of `cidermill dev`. Each has a CIDERMILL_* variable; the flag takes precedence.
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import {
  DEFAULT_DRIVER,
  type DriverName,
  driverNames,
  isVirtual,
  type VmDriverName,
  vmDriverNames,
} from '../../shared/drivers.js';

/** Of the images that tart's authors publish, the smallest one with a guest agent. */
const DEFAULT_IMAGES: Partial<Record<VmDriverName, string>> = { tart: 'ghcr.io/cirruslabs/macos-tahoe-base:latest' };
const defaultImages = Object.entries(DEFAULT_IMAGES).map(([driver, image]) => `default with ${driver}: ${image}`);
/** macOS runs at most two virtual machines. */
const VMS = { macs: 1, free: 1 };
const FOLDERS = { macs: 2, free: 2 };

export interface DevOptions {
  data: string;
  port: number;
  driver: DriverName;
  /** The image of virtual machines; null with the local driver. */
  image: string | null;
  macs: number;
  free: number;
  requestsPerMinute: number | undefined;
  testClock: boolean;
  json: boolean;
}

const whole = (most: number) => (text: string) => {
  const n = Number(text);
  if (!/^\d+$/.test(text) || n > most) throw new InvalidArgumentError(`expected a whole number from 0 to ${most}.`);
  return n;
};

/** An empty folder name would mean the current folder. */
const notEmpty = (text: string) => {
  if (text === '') throw new InvalidArgumentError('expected a name.');
  return text;
};

function imageOf(command: Command, driver: DriverName, image: string | undefined): string | null {
  if (!isVirtual(driver)) {
    if (image !== undefined) command.error(`error: --image needs --driver ${vmDriverNames.join(' or ')}`);
    return null;
  }
  const found = image ?? DEFAULT_IMAGES[driver] ?? null;
  if (found === null) command.error(`error: --driver ${driver} needs --image`);
  return found;
}

/** Returns the options. Throws CommanderError for an invalid flag; the caller sets exit code 64. */
export function parseDevOptions(argv: readonly string[]): DevOptions {
  const command = new Command('cidermill dev')
    .description('Run the whole service on this machine: control plane, one host, a demo account with Macs.')
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
      new Option('--driver <name>', 'what a Mac is: a folder of this machine (local), or a virtual machine')
        .choices(driverNames)
        .default(DEFAULT_DRIVER)
        .env('CIDERMILL_DRIVER'),
    )
    .addOption(
      new Option('--image <ref>', `image of the virtual machines; ${defaultImages.join(', ')}`)
        .argParser(notEmpty)
        .env('CIDERMILL_IMAGE'),
    )
    .addOption(
      new Option('--macs <n>', 'Macs rented to the demo account for 30 days; default 2, virtual machines 1')
        .argParser(whole(64))
        .env('CIDERMILL_MACS'),
    )
    .addOption(
      new Option('--free <m>', 'further Macs, free to rent; default 2, virtual machines 1')
        .argParser(whole(64))
        .env('CIDERMILL_FREE'),
    )
    .addOption(
      new Option('--requests-per-minute <n>', 'limit for each API key, and for all keys of an account')
        .argParser(whole(10_000_000))
        .env('CIDERMILL_REQUESTS_PER_MINUTE'),
    )
    .addOption(new Option('--test-clock', 'allow POST /dev/clock to move time forward').env('CIDERMILL_TEST_CLOCK'))
    .addOption(new Option('--json', 'print one line of JSON when ready'))
    .exitOverride();
  const options = command.parse(argv as string[], { from: 'user' }).opts<{
    data: string;
    port: number;
    driver: DriverName;
    image?: string;
    macs?: number;
    free?: number;
    requestsPerMinute?: number;
    testClock?: boolean;
    json?: boolean;
  }>();
  const { driver } = options;
  const usual = isVirtual(driver) ? VMS : FOLDERS;
  return {
    data: resolve(options.data),
    port: options.port,
    driver,
    image: imageOf(command, driver, options.image),
    macs: options.macs ?? usual.macs,
    free: options.free ?? usual.free,
    requestsPerMinute: options.requestsPerMinute,
    testClock: options.testClock ?? false,
    json: options.json ?? false,
  };
}
