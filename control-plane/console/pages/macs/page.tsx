// `/o/:org/macs`: the Macs that the organization rents. Several can be extended with one order.
import { useInfiniteQuery } from '@tanstack/react-query';
import Monitor from 'lucide-react/icons/monitor';
import { useState } from 'react';
import type { RentedMac } from '../../../../client/types.js';
import { useTierName } from '../../data/catalog.js';
import { macsOf, macsQuery } from '../../data/macs.js';
import { MANAGERS, useMay, useOrganization } from '../../data/session.js';
import { Button, LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Checkbox } from '../../design/choices.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { Link } from '../../design/link.js';
import { LoadMore } from '../../design/load-more.js';
import { Page } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { MacState } from '../../design/status-badges.js';
import { type Column, Table } from '../../design/table.js';
import { MacId, MacLink } from '../../macs/mac-link.js';
import { Renamable } from '../../macs/renamable.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { ExtendDialog } from '../mac/extend-dialog.js';
import { useNoExtend } from '../mac/no-extend.js';
import styles from './macs.module.css';
import { MacTime } from './time-left.js';
import { words } from './words.js';

export default function MacsPage() {
  const w = useWords(words);
  const common = useWords(shared);
  const format = useFormat();
  const query = useInfiniteQuery(macsQuery(useOrganization()));
  const mayManage = useMay(MANAGERS);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [extending, setExtending] = useState(false);
  const macs = macsOf(query.data);
  const chosen = (macs ?? []).filter((mac) => selected.has(mac.rental_id) && mac.can_extend);
  const columns = useColumns(
    mayManage && (macs?.some(({ can_extend }) => can_extend) ?? false)
      ? {
          selected,
          toggle: (id, on) => {
            const next = new Set(selected);
            if (on) next.add(id);
            else next.delete(id);
            setSelected(next);
          },
        }
      : null,
  );
  const rent = (
    <LinkButton to="/o/$org/rent" variant="primary">
      {w.rent}
    </LinkButton>
  );
  return (
    <Page
      title={w.title}
      actions={
        <>
          {chosen.length > 0 ? (
            <Button onClick={() => setExtending(true)}>
              {w.extend} ({format.number(chosen.length)})
            </Button>
          ) : null}
          {mayManage && macs?.length !== 0 ? rent : null}
        </>
      }
    >
      {query.error && !macs ? <FailureNote error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.isPending ? <Skeleton lines={5} /> : null}
      {macs?.length === 0 ? (
        <EmptyState icon={<Monitor />} title={w.empty} action={mayManage ? rent : null}>
          {mayManage ? w.emptyText : w.emptyDeveloper}
        </EmptyState>
      ) : null}
      {macs && macs.length > 0 ? (
        <Card flush>
          <Table
            label={w.title}
            columns={columns}
            rows={macs}
            rowKey={({ rental_id }) => rental_id}
            selected={({ rental_id }) => selected.has(rental_id)}
          />
          <LoadMore shown={macs.length} query={query} />
        </Card>
      ) : null}
      <p className="unseen" role="status">
        {chosen.length > 0 ? w.selected(common.macs(chosen.length)) : ''}
      </p>
      <ExtendDialog macs={chosen} open={extending && chosen.length > 0} onOpenChange={setExtending} />
    </Page>
  );
}

interface Selection {
  readonly selected: ReadonlySet<string>;
  toggle(rentalId: string, on: boolean): void;
}

function useColumns(selection: Selection | null): Column<RentedMac>[] {
  const w = useWords(words);
  const tierName = useTierName(useOrganization());
  const noExtend = useNoExtend();
  const select: Column<RentedMac> = {
    key: 'select',
    header: w.extend,
    quiet: true,
    narrow: true,
    cell: (mac) => (
      <Checkbox
        label={<span className="unseen">{w.select(mac.name)}</span>}
        checked={mac.can_extend && (selection?.selected.has(mac.rental_id) ?? false)}
        refused={noExtend(mac)}
        onChange={(on) => selection?.toggle(mac.rental_id, on)}
      />
    ),
  };
  return [
    ...(selection ? [select] : []),
    {
      key: 'mac',
      header: w.mac,
      main: true,
      cell: (mac) => (
        <div>
          <Renamable mac={mac}>
            <MacLink id={mac.rental_id} name={mac.name} />
          </Renamable>
          <MacId id={mac.rental_id} />
        </div>
      ),
    },
    { key: 'state', header: w.state, cell: ({ state }) => <MacState state={state} /> },
    { key: 'tier', header: w.tier, cell: ({ tier }) => tierName(tier) },
    { key: 'xcode', header: w.xcode, cell: ({ xcode }) => xcode ?? '–' },
    { key: 'build', header: w.build, cell: (mac) => <BuildCell mac={mac} /> },
    { key: 'left', header: w.left, cell: (mac) => <MacTime mac={mac} /> },
  ];
}

function BuildCell({ mac: { current_build: build, queued_builds: waiting } }: { mac: RentedMac }) {
  const w = useWords(words);
  return (
    <span className={styles.build}>
      {build ? (
        <Link to="/o/$org/builds/$build_id" params={{ build_id: build.id }}>
          {build.repo ?? <code>{build.id}</code>}
        </Link>
      ) : (
        <span className={styles.faint}>{w.idle}</span>
      )}
      {waiting > 0 ? <span className={styles.faint}>{w.waiting(waiting)}</span> : null}
    </span>
  );
}
