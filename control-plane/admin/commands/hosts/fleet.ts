// What commands read of hosts.

import type { Asked } from '../../../../client/operations/operation.js';
import { listHosts } from '../../../../client/operations/operator.js';
import type { FleetHost, FleetPage, OperatorHostFilter } from '../../../../client/types.js';
import type { OperatorClient } from '../../operator-client.js';

export interface Fleet {
  readonly hosts: readonly FleetHost[];
  readonly counts: FleetPage['counts'];
  /** The time of the service, ISO 8601. */
  readonly at: string;
}

/** Reads all pages of the hosts that the filter of `GET /v1/hosts` finds. */
export async function readFleet(
  client: Pick<OperatorClient, 'read'>,
  filter: Asked<OperatorHostFilter>,
): Promise<Fleet> {
  const hosts: FleetHost[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: FleetPage = await client.read(listHosts, { ...filter, cursor });
    hosts.push(...page.data);
    cursor = page.next_cursor;
    if (cursor === null) return { hosts, counts: page.counts, at: page.at };
  }
}

/** As many ids as the query of one request may have. */
const IDS = 100;

/** Reads these hosts, also removed ones, in the order of the ids. */
export async function readHosts(client: Pick<OperatorClient, 'read'>, ids: readonly string[]): Promise<Fleet> {
  let all: Fleet = { hosts: [], counts: [], at: '' };
  for (let from = 0; from < ids.length || from === 0; from += IDS) {
    const some = await readFleet(client, { hosts: ids.slice(from, from + IDS).join(',') });
    all = { ...some, hosts: [...all.hosts, ...some.hosts] };
  }
  const place = new Map(ids.map((id, at) => [id, at]));
  const by = ({ host_id }: FleetHost) => place.get(host_id) ?? 0;
  return { ...all, hosts: all.hosts.toSorted((a, b) => by(a) - by(b)) };
}
