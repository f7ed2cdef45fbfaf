// The last connections of each host.
import { int, text } from '../../platform/domain/fields.js';
import type { Queries } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const links = table('host_links', {
  hostId: text(),
  connectedAt: int(),
  /** Null while the connection lasts. */
  endedAt: int().orNull.initially(null),
  agentVersion: text(),
});
export type HostLink = Selected<typeof links>;

/** Of each host; older ones are deleted. */
export const KEPT_LINKS = 20;

export async function linkBegan(q: Queries, link: Omit<HostLink, 'endedAt'>): Promise<void> {
  const { hostId, connectedAt } = link;
  // Ends the previous connection if its end has not been noticed.
  await endLink(q, hostId, connectedAt);
  await links.insert(q, link);
  await q.run(
    `DELETE FROM host_links WHERE host_id = :hostId AND connected_at <= (SELECT connected_at FROM host_links
       WHERE host_id = :hostId ORDER BY connected_at DESC LIMIT 1 OFFSET ${KEPT_LINKS})`,
    { hostId },
  );
}

export async function endLink(q: Queries, hostId: string, now: number): Promise<void> {
  await q.run(`UPDATE host_links SET ended_at = :now WHERE host_id = :hostId AND ended_at IS NULL`, {
    hostId,
    now,
  });
}

export async function endAllLinks(q: Queries, now: number): Promise<void> {
  await q.run('UPDATE host_links SET ended_at = :now WHERE ended_at IS NULL', { now });
}

/** Reopens the host's last connection, which had not ended after all. */
export async function reopenLink(q: Queries, hostId: string, connectedAt: number): Promise<void> {
  await links.update(q, { hostId, connectedAt }, { endedAt: null });
}

/** Returns the newest first. */
export function listLinks(q: Queries, hostId: string): Promise<HostLink[]> {
  return links.all(q, 'WHERE host_id = :hostId ORDER BY connected_at DESC', { hostId });
}
