// Times of builds, Macs and slots, from indexes over time.
import type { Queries } from '../../platform/store/sql.js';
import type { BuildSpan, Span } from '../domain/throughput.js';

/** Returns the builds that started in [from, to), from an index that holds all of these columns. */
export async function readBuildSpans(q: Queries, range: { from: number; to: number }): Promise<BuildSpan[]> {
  const rows = await q.all<{
    created_at: number;
    started_at: number;
    ended_at: number | null;
    status: string;
  }>(
    `SELECT created_at, started_at, ended_at, status FROM builds
     WHERE started_at IS NOT NULL AND started_at >= :from AND started_at < :to`,
    range,
  );
  return rows.map((row) => ({
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    status: row.status,
  }));
}

/** Returns the Macs that existed between two times, from when each was first ready. */
export async function readMacSpans(q: Queries, range: { from: number; to: number }): Promise<Span[]> {
  const rows = await q.all<{ ready_at: number; ended_at: number | null }>(
    `SELECT m.ready_at, r.ended_at FROM macs m JOIN rentals r ON r.rental_id = m.rental_id
     WHERE m.ready_at < :to AND (r.ended_at IS NULL OR r.ended_at > :from)`,
    range,
  );
  return rows.map((row) => ({ from: row.ready_at, to: row.ended_at }));
}

/** Returns the slots that existed between two times; those of removed hosts until their removal. */
export async function readSlotSpans(q: Queries, range: { from: number; to: number }): Promise<Span[]> {
  const rows = await q.all<{ created_at: number; ended_at: number | null }>(
    `SELECT s.created_at, COALESCE(s.retired_at, CASE WHEN h.status = 'removed' THEN h.status_at END) AS ended_at
     FROM slots s JOIN hosts h ON h.host_id = s.host_id WHERE s.created_at < :to`,
    { to: range.to },
  );
  return rows
    .filter(({ ended_at }) => ended_at === null || ended_at > range.from)
    .map((row) => ({ from: row.created_at, to: row.ended_at }));
}
