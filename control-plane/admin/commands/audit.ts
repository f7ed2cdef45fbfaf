import { type Command, InvalidArgumentError } from 'commander';
import { listAuditEntries } from '../../../client/operations/operator.js';
import type { OperatorAuditEntry, OperatorAuditPage } from '../../../client/types.js';
import { cleanText, printedJson, visibleText } from '../../../shared/clean-text.js';
import { momentOf } from '../../platform/domain/moment.js';
import { type Cli, table } from '../command.js';

interface AuditOptions {
  readonly org?: string;
  readonly since?: string;
}

const LONGEST_CELL = 100;

export function addAuditCommand(program: Command, cli: Cli): void {
  cli
    .command<AuditOptions>(
      program,
      'audit',
      'show the audit log, oldest first; with --json one line of JSON per entry',
      async ({ client, asJson, write }, { org, since }) => {
        // Page by page, so that neither side has the whole log in memory.
        for (let cursor: string | undefined; ; ) {
          const { data, next_cursor }: OperatorAuditPage = await client.read(listAuditEntries, {
            order: 'oldest',
            org,
            since,
            cursor,
          });
          const entries = data.map(({ org_slug: _, ...entry }) => entry);
          if (asJson) write(entries.map((entry) => `${printedJson(entry)}\n`).join(''));
          else if (entries.length > 0) write(`${visibleText(tableOf(entries), '\n')}\n`);
          if (next_cursor === null) return undefined;
          cursor = next_cursor;
        }
      },
    )
    .option('--since <time>', 'ISO 8601, or how long ago: 30m, 12h, 7d, 4w', sinceText)
    .option('--org <org>', 'only entries of this organization (org_…, slug or number)');
}

const tableOf = (entries: readonly Omit<OperatorAuditEntry, 'org_slug'>[]): string =>
  table(
    entries.map(({ at, org_id, actor, ip, action, target, target_name, result, count }) =>
      [
        at,
        org_id ?? '-',
        `${actor.kind} ${actor.name ?? actor.id ?? ''}`.trim(),
        ip ?? '-',
        action,
        target_name === null ? (target ?? '-') : `${target_name} (${target})`,
        count === 1 ? result : `${result} (${count} times)`,
      ].map((cell) => cleanText(cell, LONGEST_CELL)),
    ),
  );

/** The service reads it, by its own clock. */
function sinceText(text: string): string {
  if (momentOf(text, 0, 'past') === null) {
    throw new InvalidArgumentError('expected an ISO 8601 time, or 30m, 12h, 7d, 4w.');
  }
  return text;
}
