// Several programs of the control plane on one database of PostgreSQL, and a host with rented Macs, as a bench uses them.
import type { Test } from 'tap';
import { startPrograms } from '../test/harness/programs.js';
import { until } from '../test/harness/until.js';

export interface Several {
  /** Of the program that the host is connected to. */
  readonly base_url: string;
  readonly api_key: string;
  /** Addresses of the other programs. */
  readonly others: readonly string[];
  /** Environment variables with which `cidermill` uses the first program. */
  readonly env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/** @param limits of the service, as environment variables */
export async function startSeveral(
  count: number,
  limits: Readonly<Record<string, string>>,
  macs: number,
): Promise<Several> {
  const ends: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  const t = { teardown: (end: () => unknown) => void ends.push(end) } as unknown as Test;
  try {
    const env = {
      CIDERMILL_REQUESTS_PER_MINUTE: '10000000',
      CIDERMILL_ACCOUNT_REQUESTS_PER_MINUTE: '10000000',
      CIDERMILL_CONNECTIONS_PER_KEY: '10000',
      CIDERMILL_ACCOUNT_PARKED_REQUESTS: '10000',
      ...limits,
    };
    const { programs, balancer, admin, addHost, createAccount, store } = await startPrograms(t, { count, env });
    const urls = programs.map(({ url }) => `${url}/api/v1`);
    const [base_url = '', ...others] = urls;
    balancer.leadTo(programs[0]?.port ?? null);
    const { orgId, key } = await createAccount('Bench');
    await addHost('bench', macs);
    await admin('rental', 'grant', '--org', orgId, '--tier', 'bench', '--units', String(macs), '--forever');
    const ready = () => store.get<{ n: number }>(`SELECT COUNT(*) AS n FROM macs WHERE state = 'ready'`);
    await until(async () => (await ready())?.n === macs, 'the Macs are ready', 300_000);
    const own = { ...process.env, CIDERMILL_URL: base_url, CIDERMILL_API_KEY: key };
    return { base_url, api_key: key, others, env: own, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
