// What commands read of hosts.
import type { FleetHost, FleetPage } from '../../../../client/types.js';
import type { OperatorClient, QueryValues } from '../../operator-client.js';

export interface Fleet {
  readonly hosts: readonly FleetHost[];
  readonly counts: FleetPage['counts'];
  /** The time of the service, ISO 8601. */
  readonly at: string;
}

/** Reads all pages of the hosts that the filter of `GET /v1/hosts` finds. */
export async function readFleet(client: Pick<OperatorClient, 'get'>, filter: QueryValues): Promise<Fleet> {
  const hosts: FleetHost[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.get<FleetPage>('/v1/hosts', { ...filter, cursor });
    hosts.push(...page.data);
    if (page.next_cursor === null) return { hosts, counts: page.counts, at: page.at };
    cursor = page.next_cursor;
  }
}

/** As many ids as the query of one request may have. */
const IDS = 100;

/** Reads these hosts, also removed ones, in the order of the ids. */
export async function readHosts(client: Pick<OperatorClient, 'get'>, ids: readonly string[]): Promise<Fleet> {
  let all: Fleet = { hosts: [], counts: [], at: '' };
  for (let from = 0; from < ids.length || from === 0; from += IDS) {
    const some = await readFleet(client, { hosts: ids.slice(from, from + IDS).join(',') });
    all = { ...some, hosts: [...all.hosts, ...some.hosts] };
  }
  const place = new Map(ids.map((id, at) => [id, at]));
  const by = ({ host_id }: FleetHost) => place.get(host_id) ?? 0;
  return { ...all, hosts: all.hosts.toSorted((a, b) => by(a) - by(b)) };
}
