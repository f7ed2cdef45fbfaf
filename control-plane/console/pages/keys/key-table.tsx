import type { ApiKey } from '../../../../client/types.js';
import { type KeyState, stateOfKey } from '../../data/keys.js';
import { useOrganization } from '../../data/session.js';
import { RelativeTime, Time } from '../../design/amounts.js';
import { Badge, type Tone } from '../../design/badge.js';
import { Button } from '../../design/button.js';
import { Note } from '../../design/page.js';
import { buttonColumn, type Column, Table } from '../../design/table.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

const tones: Readonly<Record<KeyState, Tone>> = {
  active: 'good',
  expired: 'neutral',
  revoked: 'neutral',
  leaked: 'bad',
};

export function KeyTable({ keys, onRevoke }: { keys: readonly ApiKey[]; onRevoke(key: ApiKey): void }) {
  const w = useWords(words);
  const common = useWords(shared);
  const now = useNow(30_000);
  const format = useFormat();
  const { workspaces } = useOrganization();
  const columns: (Column<ApiKey> | null)[] = [
    {
      key: 'name',
      header: w.name,
      main: true,
      cell: ({ name, prefix, created_by }) => (
        <div>
          {name}
          <Note>
            <code>{prefix}…</code> {created_by ? w.by(created_by.email) : w.byOperator}
          </Note>
        </div>
      ),
    },
    { key: 'state', header: w.state, cell: (key) => <State apiKey={key} state={stateOfKey(key, now)} /> },
    {
      key: 'levels',
      header: w.levels,
      cell: ({ levels, cidrs }) => (
        <div>
          {format.list(levels.map((level) => w.level[level]))}
          {cidrs.length === 0 ? null : (
            <Note>
              {w.from} <code>{cidrs.join(', ')}</code>
            </Note>
          )}
        </div>
      ),
    },
    workspaces.length > 1
      ? {
          key: 'workspace',
          header: w.workspace,
          cell: ({ workspace_id }) => workspaces.find(({ id }) => id === workspace_id)?.name ?? w.removedWorkspace,
        }
      : null,
    {
      key: 'used',
      header: w.lastUsed,
      cell: ({ last_used_at }) => (last_used_at ? <RelativeTime at={last_used_at} /> : w.never),
    },
    {
      key: 'expires',
      header: w.expires,
      cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : w.never),
    },
    buttonColumn(w.actions, (key) =>
      key.revoked_at === null ? (
        <Button small aria-label={w.revokeOf(key.name)} onClick={() => onRevoke(key)}>
          {w.revoke}
        </Button>
      ) : (
        <span className="unseen">{common.none}</span>
      ),
    ),
  ];
  return (
    <Table label={w.title} columns={columns.filter((column) => column !== null)} rows={keys} rowKey={({ id }) => id} />
  );
}

function State({ apiKey: { revoked_at }, state }: { apiKey: ApiKey; state: KeyState }) {
  const w = useWords(words);
  return (
    <div>
      <Badge tone={tones[state]}>{w.states[state]}</Badge>
      {revoked_at ? (
        <Note>
          <RelativeTime at={revoked_at} />
        </Note>
      ) : null}
    </div>
  );
}
