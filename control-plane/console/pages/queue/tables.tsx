// The same as on the axis, as tables, with what can be done.
import ArrowUpToLine from 'lucide-react/icons/arrow-up-to-line';
import Ban from 'lucide-react/icons/ban';
import Minus from 'lucide-react/icons/minus';
import type { ListedBuild } from '../../../../client/types.js';
import { BuildName, useBuildName } from '../../builds/build-name.js';
import { StartsIn } from '../../builds/starts-in.js';
import { words as buildWords, textOf } from '../../builds/words.js';
import { useBuildActions } from '../../data/builds.js';
import type { CurrentOrganization } from '../../data/session.js';
import { Duration } from '../../design/amounts.js';
import { IconButton } from '../../design/button.js';
import { EmptyState } from '../../design/empty-state.js';
import { buttonColumn, type Column, Table } from '../../design/table.js';
import { useToast } from '../../design/toast.js';
import { MacLink } from '../../macs/mac-link.js';
import { useFormat } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './page.module.css';
import { words } from './words.js';

interface TableProps {
  readonly builds: readonly ListedBuild[];
  onCancel(build: ListedBuild): void;
}

export function RunningBuilds({ builds, onCancel }: TableProps) {
  const w = useWords(words);
  const format = useFormat();
  if (builds.length === 0) return <EmptyState title={w.noneRunning} />;
  const columns: readonly Column<ListedBuild>[] = [
    { key: 'build', header: w.build, main: true, cell: (build) => <BuildName build={build} /> },
    {
      key: 'mac',
      header: w.mac,
      narrow: true,
      cell: ({ rental_public_id: id, rental_name: name }) =>
        id === null ? null : <MacLink id={id} name={name ?? id} />,
    },
    {
      key: 'ran',
      header: w.ran,
      numeric: true,
      narrow: true,
      cell: ({ timings: { started_at: from } }) => (from === null ? null : <Duration from={from} to={null} />),
    },
    { key: 'ends', header: w.ends, narrow: true, cell: (build) => <Left build={build} /> },
    buttonColumn(w.actions, (build) => <CancelButton build={build} onCancel={onCancel} />),
  ];
  return (
    <Table label={w.running(format.number(builds.length))} columns={columns} rows={builds} rowKey={({ id }) => id} />
  );
}

export function WaitingBuilds({ org, builds, onCancel }: TableProps & { org: CurrentOrganization }) {
  const w = useWords(words);
  const own = useWords(buildWords);
  const format = useFormat();
  const toast = useToast();
  const nameOf = useBuildName();
  const { setPriority } = useBuildActions(org);
  if (builds.length === 0) return <EmptyState title={w.noneWaiting} />;
  const columns: readonly Column<ListedBuild>[] = [
    {
      key: 'position',
      header: w.position,
      numeric: true,
      narrow: true,
      cell: ({ queue_position: position }) => (position === null ? null : format.number(position)),
    },
    { key: 'build', header: w.build, main: true, cell: (build) => <BuildName build={build} /> },
    {
      key: 'why',
      header: w.why,
      narrow: true,
      cell: ({ wait_reason: reason }) =>
        reason === null ? null : <div className={styles.why}>{textOf(own.wait, reason)}</div>,
    },
    {
      key: 'starts',
      header: w.starts,
      narrow: true,
      cell: ({ estimated_start_at: at }) => (at === null ? w.unknown : <StartsIn at={at} />),
    },
    buttonColumn(w.actions, (build) => {
      const first = build.priority === 1;
      return (
        <div className={styles.buttons}>
          <IconButton
            label={first ? w.toNormal(nameOf(build)) : w.toFront(nameOf(build))}
            icon={first ? <Minus aria-hidden /> : <ArrowUpToLine aria-hidden />}
            aria-pressed={first}
            onClick={() => setPriority.mutate({ id: build.id, priority: first ? 0 : 1 }, { onError: toast.failed })}
          />
          <CancelButton build={build} onCancel={onCancel} />
        </div>
      );
    }),
  ];
  return (
    <Table label={w.waiting(format.number(builds.length))} columns={columns} rows={builds} rowKey={({ id }) => id} />
  );
}

function CancelButton({ build, onCancel }: { build: ListedBuild; onCancel(build: ListedBuild): void }) {
  const own = useWords(buildWords);
  const nameOf = useBuildName();
  return (
    <IconButton
      label={`${own.cancelBuild}: ${nameOf(build)}`}
      icon={<Ban aria-hidden />}
      onClick={() => onCancel(build)}
    />
  );
}

function Left({ build: { timings } }: { build: ListedBuild }) {
  const w = useWords(words);
  const own = useWords(buildWords);
  const format = useFormat();
  const now = useNow();
  if (timings.estimated_end_at === null) return <>{w.unknown}</>;
  const left = Date.parse(timings.estimated_end_at) - now;
  return <>{left > 0 ? own.left(format.about(left)) : own.over(format.about(-left))}</>;
}
