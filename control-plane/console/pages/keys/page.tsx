// `/o/:org/keys`: API keys; create and revoke them. `?show=all`: revoked and expired ones too; `?by=user_…`: of one creator.
import { useInfiniteQuery } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import Plus from 'lucide-react/icons/plus';
import { useState } from 'react';
import type { ApiKey } from '../../../../client/types.js';
import { keysOf, keysQuery } from '../../data/keys.js';
import { type RawSearch, useSearchParameters } from '../../data/search.js';
import { useOrganization } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { LoadMore } from '../../design/load-more.js';
import { Note, Page, Row } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { Select } from '../../design/select.js';
import { usePageAction } from '../../page-actions.js';
import { shared } from '../../words/shared.js';
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
  const [creating, setCreating] = useState(false);
  const may = usePageAction('createKey', () => setCreating(true));
  const [{ show, by }, setSearch] = useSearchParameters(parse);
  const filter = {
    state: show === 'all' ? undefined : ('usable' as const),
    created_by: by,
    workspace_id: organization.workspace ?? undefined,
  };
  const query = useInfiniteQuery({ ...keysQuery(organization, filter), enabled: may });
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const total = query.data?.pages.at(-1)?.total ?? 0;
  const keys = keysOf(query.data);
  const creator = keys[0]?.created_by?.email ?? by;
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
    <Page title={w.title} lead={w.lead} actions={total > 0 ? create : undefined}>
      {may ? null : <Note>{w.needs}</Note>}
      {may ? <QueryState query={query} lines={6} /> : null}
      {may ? <LeakedKeys /> : null}
      {total > 0 ? (
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
          <LoadMore shown={keys.length} query={query} />
        </Card>
      ) : null}
      {query.data && total > 0 && keys.length === 0 ? (
        <Card>
          <EmptyState
            icon={<KeyRound />}
            title={w.noneHere}
            action={<Button onClick={() => setSearch({ show: 'all', by: undefined })}>{common.all}</Button>}
          />
        </Card>
      ) : null}
      {query.data && total === 0 ? (
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
