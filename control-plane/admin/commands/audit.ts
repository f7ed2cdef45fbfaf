import { type Command, InvalidArgumentError, Option } from 'commander';
import { cleanText, printedJson } from '../../../shared/clean-text.js';
import { type AuditEntryView, auditEntryView } from '../../access/http/audit-view.js';
import { parseIsoTime } from '../../platform/http/query.js';
import { type Action, parsePeriod, subcommand, table } from '../command.js';

interface AuditOptions {
  org?: string;
  since?: Since;
  page?: Page;
}

type Since = { readonly at: number } | { readonly agoMs: number };
/** `upTo`: the newest entry when the first page was read; what is added later belongs to the next export. */
type Page = { readonly at: number; readonly id: number; readonly upTo: number };
type Entry = AuditEntryView & { readonly org_id: string | null };

const LONGEST_CELL = 100;

/** Prints one page. The command line requests the next one with `--page`, the `next` of the previous page. */
export function addAuditCommand(program: Command, action: Action): void {
  subcommand(program, 'audit', 'show the audit log, oldest first; with --json one line of JSON per entry')
    .option('--since <time>', 'ISO 8601, or how long ago: 30m, 12h, 7d, 4w', parseSince)
    .option('--org <org>', 'only entries of this account (org_…, slug or number)')
    .addOption(new Option('--page <at-id-upTo>').argParser(parsePage).hideHelp())
    .action(
      action<AuditOptions>(
        async ({ auditLog, organizations, now, limits }, { org, since, page }) => {
          const accountId = org === undefined ? null : (await organizations.find(org)).id;
          const limit = limits.audit_page_max;
          const upTo = page?.upTo ?? (await auditLog.newest());
          const found = await auditLog.read(
            { accountId, since: startOf(since, now()), upTo },
            { after: page ? { at: page.at, id: page.id } : null, limit: limit + 1 },
          );
          const entries = found.slice(0, limit).map((entry) => ({ ...auditEntryView(entry), org_id: entry.orgId }));
          const last = found.length > limit ? found[limit - 1] : undefined;
          return {
            json: { entries, next: last ? `${last.at}-${last.id}-${upTo}` : null },
            text: tableOf(entries),
          };
        },
        ({ json, text }, { asJson }) => (asJson ? linesOf(json) : text === '' ? '' : `${text}\n`),
      ),
    );
}

const tableOf = (entries: readonly Entry[]): string =>
  table(
    entries.map(({ at, org_id, actor, ip, action, target, result, count }) =>
      [
        at,
        org_id ?? '-',
        `${actor.kind} ${actor.name ?? actor.id ?? ''}`.trim(),
        ip ?? '-',
        action,
        target ?? '-',
        count === 1 ? result : `${result} (${count} times)`,
      ].map((cell) => cleanText(cell, LONGEST_CELL)),
    ),
  );

function linesOf(json: unknown): string {
  const entries: unknown = typeof json === 'object' && json !== null && 'entries' in json ? json.entries : [];
  return Array.isArray(entries) ? entries.map((entry) => `${printedJson(entry)}\n`).join('') : '';
}

function parseSince(text: string): Since {
  const agoMs = parsePeriod(text);
  if (agoMs !== null) return { agoMs };
  const at = parseIsoTime(text);
  if (at === null) throw new InvalidArgumentError('expected an ISO 8601 time, or 30m, 12h, 7d, 4w.');
  return { at };
}

function startOf(since: Since | undefined, now: number): number {
  if (since === undefined) return 0;
  return 'at' in since ? since.at : now - since.agoMs;
}

function parsePage(text: string): Page {
  const [, at, id, upTo] = /^(\d{1,15})-(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  if (at === undefined) throw new InvalidArgumentError('expected the `next` of a page.');
  return { at: Number(at), id: Number(id), upTo: Number(upTo) };
}
