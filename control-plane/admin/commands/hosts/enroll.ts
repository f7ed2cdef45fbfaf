import type { Command } from 'commander';
import { MOST_VIRTUAL_MACS } from '../../../hosts/domain/host.js';
import type { Labels } from '../../../hosts/domain/host-labels.js';
import { stateOfToken, tokenView } from '../../../hosts/http/enrollment-view.js';
import { isoTime } from '../../../hosts/http/host-view.js';
import { ApiError } from '../../../platform/domain/error-catalog.js';
import { type Action, parsePeriod, parseTime, subcommand, table, wholeNumber } from '../../command.js';
import { keyAndValue } from './selection.js';

type Until = { readonly at: number } | { readonly inMs: number };

interface EnrollOptions {
  name?: string;
  tier?: string;
  slots: number;
  label?: Labels;
  reusable?: boolean;
  uses?: number;
  until?: Until;
}

export function addEnrolCommands(host: Command, action: Action): void {
  subcommand(host, 'enroll', 'make a token (one host, 15 minutes) with which a machine becomes a host')
    .option('--name <name>', "name of the host; default: the machine's name")
    .option('--tier <id>', 'what its Macs are rented as; without it the host waits for approval')
    .option('--slots <n>', 'Macs it may hold at a time', wholeNumber, 2)
    .option('--label <key=value>', 'can be given several times', keyAndValue)
    .option('--reusable', 'for several hosts; needs --uses and --until')
    .option('--uses <n>', 'how many hosts a reusable token enrolls', wholeNumber)
    .option('--until <time>', 'when a reusable token expires: ISO 8601, or from now: 12h, 7d, 4w', parseUntil)
    .action(
      action<EnrollOptions>(async ({ hosts, tiers, now }, options) => {
        const { name, tier, slots, label: labels = {} } = options;
        if (tier !== undefined && slots > MOST_VIRTUAL_MACS && (await tiers.show(tier)).image !== null) {
          throw new ApiError('invalid_request', {
            message: `slots must be at most ${MOST_VIRTUAL_MACS} (got ${slots}): Macs of ${tier} are virtual machines, and macOS runs no more at a time.`,
            detail: { fields: ['slots'] },
          });
        }
        const made = await hosts.createEnrolment({ name, tier, slots, labels, ...reuseOf(options, now()) });
        const uses = options.reusable ? ` for ${made.uses} ${made.uses === 1 ? 'host' : 'hosts'}` : '';
        return { json: made, text: `${made.token}\nvalid until ${made.expires_at}${uses}` };
      }),
    );
  addTokenCommands(host, action);
}

function addTokenCommands(host: Command, action: Action): void {
  const token = host.command('token').description('tokens with which machines become hosts');
  subcommand(token, 'list', 'tokens that have not expired').action(
    action(async ({ hosts }) => {
      const tokens = await hosts.enrolmentTokens();
      const rows = tokens.map((one) => [
        one.enrolmentId,
        stateOfToken(one),
        `${one.used} of ${one.uses} used`,
        one.tier ?? 'no tier',
        `until ${isoTime(one.expiresAt)}`,
      ]);
      return {
        json: { tokens: tokens.map(tokenView) },
        text: rows.length === 0 ? 'no token is valid' : table(rows),
      };
    }),
  );
  subcommand(token, 'revoke <id>', 'make a token invalid; its hosts stay').action(
    action(async ({ hosts }, _options, id = '') => {
      const revoked = await hosts.revokeEnrolment(id);
      return { json: tokenView(revoked), text: `${id} is revoked; it was used ${revoked.used} times` };
    }),
  );
}

function reuseOf({ reusable, uses, until, name }: EnrollOptions, now: number) {
  const invalid = (message: string, field: string) =>
    new ApiError('invalid_request', { message, detail: { fields: [field] } });
  if (!reusable) {
    if (uses === undefined && until === undefined) return {};
    throw invalid('--uses and --until are for --reusable.', uses === undefined ? 'until' : 'uses');
  }
  if (uses === undefined || until === undefined) {
    throw invalid('A reusable token needs --uses and --until.', uses === undefined ? 'uses' : 'until');
  }
  if (name !== undefined) throw invalid('Hosts of a reusable token have the names of their machines.', 'name');
  return { reusable: { uses, until: 'at' in until ? until.at : now + until.inMs } };
}

function parseUntil(text: string): Until {
  const inMs = parsePeriod(text);
  return inMs === null ? { at: parseTime(text) } : { inMs };
}
