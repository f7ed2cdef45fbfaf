import { type Command, InvalidArgumentError } from 'commander';
import { isLevel, type Level } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { type Action, list, subcommand, table } from '../command.js';

export function addKeyCommands(program: Command, action: Action): void {
  const key = program.command('key').description('API keys');

  subcommand(key, 'create', 'make a key; it is shown this once')
    .requiredOption('--org <org>', 'account (org_…, slug or number)')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--levels <levels>', 'any of read,build,manage', parseLevels)
    .option('--cidrs <ranges>', 'addresses it may be used from, separated by commas', list)
    .option('--expires <time>', 'ISO 8601', parseTime)
    .option('--workspace <id>', "the account's first one otherwise")
    .action(
      action<{
        org: string;
        name: string;
        levels: Level[];
        cidrs?: string[];
        expires?: number;
        workspace?: string;
      }>(async ({ apiKeys, organizations, defaultWorkspace }, options) => {
        const { id } = await organizations.find(options.org);
        const made = await apiKeys.create({
          accountId: id,
          workspaceId: options.workspace ?? (await defaultWorkspace(id)),
          name: options.name,
          levels: options.levels,
          cidrs: options.cidrs ?? [],
          expiresAt: options.expires ?? null,
        });
        return {
          json: { key: made.key, key_id: made.record.keyId },
          text: `${made.record.keyId} ${made.key}`,
        };
      }),
    );

  subcommand(key, 'list', 'keys of an account, without their secret part')
    .requiredOption('--org <org>', 'account (org_…, slug or number)')
    .action(
      action<{ org: string }>(async ({ apiKeys, organizations }, { org }) => {
        const keys = await apiKeys.list((await organizations.find(org)).id);
        return {
          json: {
            keys: keys.map((one) => ({
              key_id: one.keyId,
              name: one.name,
              prefix: one.prefix,
              levels: one.levels,
              cidrs: one.cidrs,
              expires_at: time(one.expiresAt),
              workspace_id: one.workspaceId,
              revoked_at: time(one.revokedAt),
              revoked_reason: one.revokedReason,
              last_used_at: time(one.lastUsedAt),
            })),
          },
          text: table(
            keys.map((one) => [
              one.keyId,
              `${one.prefix}…`,
              one.levels.join(','),
              one.revokedAt === null ? 'active' : `revoked (${one.revokedReason})`,
              one.name,
            ]),
          ),
        };
      }),
    );

  subcommand(key, 'revoke <key_id>', 'end a key at once').action(
    action(async ({ apiKeys }, _options, keyId = '') => {
      if (!(await apiKeys.revoke({ keyId }, 'manual'))) {
        throw new ApiError('not_found', { message: `There is no key ${keyId} that is not revoked yet.` });
      }
      return { json: { key_id: keyId, revoked: true }, text: `${keyId} is revoked` };
    }),
  );
}

const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

function parseLevels(text: string): Level[] {
  const levels = list(text);
  const known = levels.filter(isLevel);
  if (known.length === 0 || known.length < levels.length) {
    throw new InvalidArgumentError('expected any of read, build and manage, separated by commas.');
  }
  return [...new Set(known)];
}

function parseTime(text: string): number {
  const ms = Date.parse(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(ms)) {
    throw new InvalidArgumentError('expected an ISO 8601 time.');
  }
  return ms;
}
