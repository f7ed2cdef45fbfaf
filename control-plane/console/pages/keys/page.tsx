// `/o/:org/keys`: API keys; create and revoke them. `?show=all`: revoked and expired ones too; `?by=user_…`: of one creator.
import { useQuery } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import Plus from 'lucide-react/icons/plus';
import { useState } from 'react';
import type { ApiKey } from '../../../../client/types.js';
import { keysQuery, stateOfKey } from '../../data/keys.js';
import { type RawSearch, useSearchParameters } from '../../data/search.js';
import { MANAGERS, useMay, useOrganization } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { Note, Page, Row } from '../../design/page.js';
import { Select } from '../../design/select.js';
import { Skeleton } from '../../design/skeleton.js';
import { shared } from '../../words/shared.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { CreateKeyDialog } from './create-dialog.js';
import { KeyTable } from './key-table.js';
import { LeakedKeys } from './leaked-keys.js';
import { RevokeKeyDialog } from './revoke-dialog.js';
import { words } from './words.js';

const parse = ({ show, by }: RawSearch) => ({ show: show === 'all' ? 'all' : 'usable', by }) as const;

export default function KeysPage() {
  const w = useWords(words);
  const common = useWords(shared);
  const organization = useOrganization();
  const may = useMay(MANAGERS);
  const query = useQuery({ ...keysQuery(organization), enabled: may });
  const [{ show, by }, setSearch] = useSearchParameters(parse);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const now = useNow(30_000);
  const all = query.data?.data ?? [];
  const keys = all.filter(
    (key) =>
      (show === 'all' || stateOfKey(key, now) === 'active') &&
      (by === undefined || key.created_by?.user_id === by) &&
      (organization.workspace === null || key.workspace_id === organization.workspace),
  );
  const creator = all.find(({ created_by }) => created_by?.user_id === by)?.created_by?.email ?? by;
  const create = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden />}
      refused={may ? null : w.needs}
      onClick={() => setCreating(true)}
    >
      {w.create}
    </Button>
  );
  return (
    <Page title={w.title} lead={w.lead} actions={all.length > 0 ? create : undefined}>
      {may ? null : <Note>{w.needs}</Note>}
      {query.error ? <FailureNote error={query.error} onRetry={() => void query.refetch()} /> : null}
      {may && query.isPending ? <Skeleton lines={6} /> : null}
      <LeakedKeys keys={all} />
      {all.length > 0 ? (
        <Row>
          <Select
            inline
            label={w.show}
            value={show}
            onChange={(next) => setSearch({ show: next === 'all' ? next : undefined })}
            options={[
              { value: 'usable', label: w.usable },
              { value: 'all', label: w.allKeys },
            ]}
          />
          {by === undefined ? null : (
            <Button small onClick={() => setSearch({ by: undefined })}>
              {w.notOnlyBy(creator ?? '')}
            </Button>
          )}
        </Row>
      ) : null}
      {keys.length > 0 ? (
        <Card flush>
          <KeyTable keys={keys} onRevoke={setRevoking} />
        </Card>
      ) : null}
      {query.data && all.length > 0 && keys.length === 0 ? (
        <Card>
          <EmptyState
            icon={<KeyRound />}
            title={w.noneHere}
            action={<Button onClick={() => setSearch({ show: 'all', by: undefined })}>{common.all}</Button>}
          />
        </Card>
      ) : null}
      {query.data && all.length === 0 ? (
        <Card>
          <EmptyState icon={<KeyRound />} title={w.emptyTitle} action={create}>
            <p>{w.emptyText}</p>
          </EmptyState>
        </Card>
      ) : null}
      {creating ? <CreateKeyDialog onClose={() => setCreating(false)} /> : null}
      {revoking ? <RevokeKeyDialog apiKey={revoking} onClose={() => setRevoking(null)} /> : null}
    </Page>
  );
}
