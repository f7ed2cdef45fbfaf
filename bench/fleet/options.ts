// Options of the bench.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

export interface FleetOptions {
  readonly hosts: number;
  /** Builds submitted per second; null: as many as the service can take. */
  readonly rate: number | null;
  readonly seconds: number;
  /** Builds before the measured ones. */
  readonly warmSeconds: number;
  /** How long the service is measured with hosts and polls but without builds. */
  readonly restSeconds: number;
  readonly polls: number;
  readonly followers: number;
  readonly webhooks: number;
  readonly accounts: number;
  /** Reads per second while builds are submitted. */
  readonly reads: number;
  /** How long a build takes on its host. */
  readonly buildMs: number;
  /** Processes on PostgreSQL; 0: one on the embedded database. */
  readonly postgres: number;
  /** Whether nobody else used the machine. */
  readonly quiet: boolean;
  /** A folder for a CPU profile of each process. */
  readonly profile: string | null;
}

const numbers = {
  hosts: '500',
  seconds: '30',
  'warm-seconds': '5',
  'rest-seconds': '10',
  polls: '0',
  followers: '0',
  webhooks: '0',
  accounts: '200',
  reads: '20',
  'build-ms': '2000',
  postgres: '0',
} as const;

/** The credential of a host of the bench. */
export const credentialOf = (host: number): string => `cmh_bench_${String(host).padStart(6, '0')}`;

/** Files that the service has open besides connections of hosts and polls: database, logs, receivers, our requests. */
const OTHER_FILES = 1_200;

/** @example parse(['--hosts', '50', '--rate', '5', '--seconds', '10']) */
export function parse(argv: readonly string[]): FleetOptions & { json: boolean; save: string | null } {
  const texts = Object.fromEntries(
    Object.entries(numbers).map(([name, preset]) => [name, { type: 'string', default: preset } as const]),
  );
  const { values } = parseArgs({
    args: [...argv],
    options: {
      ...texts,
      rate: { type: 'string', default: '50' },
      profile: { type: 'string' },
      save: { type: 'string' },
      quiet: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const given: Record<string, unknown> = values;
  const number = (name: string): number => {
    const value = Number(given[name]);
    if (!Number.isFinite(value) || value < 0) throw new RangeError(`--${name} must be a number (got ${given[name]})`);
    return value;
  };
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : null);
  const options = {
    hosts: number('hosts'),
    rate: given.rate === 'most' ? null : number('rate'),
    seconds: number('seconds'),
    warmSeconds: number('warm-seconds'),
    restSeconds: number('rest-seconds'),
    polls: number('polls'),
    followers: number('followers'),
    webhooks: number('webhooks'),
    accounts: number('accounts'),
    reads: number('reads'),
    buildMs: number('build-ms'),
    postgres: number('postgres'),
    quiet: given.quiet === true,
    profile: text('profile'),
    json: given.json === true,
    save: text('save'),
  };
  return { ...options, polls: Math.min(options.polls, mostPolls(options)) };
}

/** What is left of the limit of open files of one process. */
function mostPolls({ hosts, postgres }: Pick<FleetOptions, 'hosts' | 'postgres'>): number {
  const limit = openFiles();
  const perProcess = Math.ceil(hosts / Math.max(1, postgres));
  if (perProcess + OTHER_FILES > limit) {
    throw new RangeError(
      `${hosts} hosts need ${perProcess + OTHER_FILES} open files in a process (ulimit -Hn: ${limit})`,
    );
  }
  // Those who poll are one process.
  return Math.min((limit - perProcess - OTHER_FILES) * Math.max(1, postgres), limit - OTHER_FILES);
}

/** Node raises the soft limit to the hard one. */
function openFiles(): number {
  try {
    const hard = /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
