import EllipsisVertical from 'lucide-react/icons/ellipsis-vertical';
import type { FleetHost, HostSlot } from '../../../../../client/types.js';
import { Bytes, RelativeTime } from '../../../design/amounts.js';
import { IconButton } from '../../../design/button.js';
import { Checkbox } from '../../../design/choices.js';
import { Link } from '../../../design/link.js';
import { Menu, MenuItem } from '../../../design/menu.js';
import type { Column } from '../../../design/table.js';
import { buttonColumn } from '../../../design/table.js';
import { shared } from '../../../words/shared.js';
import { useWords } from '../../../words/use-words.js';
import { actionsOf, type HostAction } from '../hosts/actions.js';
import { words as hostWords } from '../hosts/words.js';
import { HostHealth, HostReasons, HostState } from '../parts/host-state.js';
import { words as parts } from '../parts/words.js';
import styles from './page.module.css';
import { words } from './words.js';

export interface ColumnActions {
  readonly selected: ReadonlySet<string>;
  toggle(hostId: string, on: boolean): void;
  ask(action: HostAction, host: FleetHost): void;
}

export function useColumns({ selected, toggle, ask }: ColumnActions): readonly Column<FleetHost>[] {
  const w = useWords(words);
  return [
    {
      key: 'select',
      header: w.actions,
      quiet: true,
      narrow: true,
      cell: (host) => (
        <Checkbox
          label={<span className="unseen">{w.select(host.name)}</span>}
          checked={selected.has(host.host_id)}
          onChange={(on) => toggle(host.host_id, on)}
        />
      ),
    },
    { key: 'host', header: w.host, main: true, cell: (host) => <Name host={host} /> },
    {
      key: 'state',
      header: w.state,
      cell: (host) => (
        <div className={styles.lines}>
          <HostState host={host} />
          <HostReasons host={host} />
        </div>
      ),
    },
    { key: 'slots', header: w.slots, cell: (host) => <Slots slots={host.slot_details} /> },
    { key: 'running', header: w.running, numeric: true, cell: (host) => host.running.length },
    { key: 'health', header: w.health, narrow: true, cell: (host) => <HostHealth health={host.health} /> },
    { key: 'version', header: w.version, narrow: true, cell: (host) => host.agent_version ?? '–' },
    {
      key: 'disk',
      header: w.disk,
      numeric: true,
      narrow: true,
      cell: (host) => (host.disk_free_bytes === null ? '–' : <Bytes value={host.disk_free_bytes} />),
    },
    {
      key: 'seen',
      header: w.seen,
      narrow: true,
      cell: (host) => (host.last_seen_at === null ? w.never : <RelativeTime at={host.last_seen_at} />),
    },
    buttonColumn(w.actions, (host) => <Actions host={host} ask={ask} />),
  ];
}

function Name({ host }: { host: FleetHost }) {
  const p = useWords(parts);
  const labels = Object.entries(host.labels).map(([key, value]) => `${key}=${value}`);
  return (
    <div className={`${styles.lines} ${styles.name}`}>
      <Link to="/operator/hosts/$host_id" params={{ host_id: host.host_id }}>
        {host.name}
      </Link>
      <span className={styles.muted}>{[host.tier ?? p.noTier, ...labels].join(' · ')}</span>
    </div>
  );
}

/** A box for each slot; its text says what is in it. */
export function Slots({ slots }: { slots: readonly HostSlot[] }) {
  const w = useWords(words);
  const s = useWords(shared);
  if (slots.length === 0) return <span className={styles.muted}>–</span>;
  return (
    <ul className={styles.slots}>
      {slots.map((slot) => {
        const [mac] = slot.macs;
        const state = mac === undefined ? null : (s.macState[mac.state as 'ready'] ?? mac.state);
        const text = mac && state !== null ? w.slotOf(mac.organization.name, state) : slot.held ? w.held : w.free;
        return (
          <li
            key={slot.slot_id}
            className={styles.slot}
            data-use={mac ? (mac.build_id ? 'building' : 'taken') : slot.held ? 'held' : 'free'}
            title={text}
          >
            <span aria-hidden="true">{mac ? mac.organization.slug : slot.held ? '…' : w.free}</span>
            <span className="unseen">{text}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Actions({ host, ask }: { host: FleetHost } & Pick<ColumnActions, 'ask'>) {
  const w = useWords(words);
  const h = useWords(hostWords);
  const actions = actionsOf(host);
  if (actions.length === 0) return null;
  return (
    <Menu trigger={<IconButton label={w.actionsOf(host.name)} icon={<EllipsisVertical aria-hidden />} />}>
      {actions.map((action) => (
        <MenuItem key={action} danger={action === 'remove'} onSelect={() => ask(action, host)}>
          {h.actions[action]}…
        </MenuItem>
      ))}
    </Menu>
  );
}
