import type { FleetHostDetail, HostSlot, RunningBuild } from '../../../../../client/types.js';
import { macProblems } from '../../../../../shared/messages/mac-problems.js';
import { say } from '../../../../../shared/messages/message.js';
import { Duration, RelativeTime } from '../../../design/amounts.js';
import { Badge } from '../../../design/badge.js';
import { Card } from '../../../design/card.js';
import { Link } from '../../../design/link.js';
import { Note, Stack } from '../../../design/page.js';
import { Table } from '../../../design/table.js';
import { NameAndId } from '../../../macs/mac-link.js';
import { useLanguage } from '../../../words/language.js';
import { shared } from '../../../words/shared.js';
import { useWords } from '../../../words/use-words.js';
import { MakingProgress } from '../../mac/making-progress.js';
import { words } from './words.js';

type Row = { readonly slot: HostSlot; readonly mac: HostSlot['macs'][number] | null };

export function SlotsCard({ host }: { host: FleetHostDetail }) {
  const w = useWords(words);
  const s = useWords(shared);
  const rows = host.slot_details.flatMap((slot): Row[] =>
    slot.macs.length === 0 ? [{ slot, mac: null }] : slot.macs.map((mac) => ({ slot, mac })),
  );
  if (rows.length === 0) {
    return (
      <Card title={w.slots}>
        <Note>{w.noSlots}</Note>
      </Card>
    );
  }
  return (
    <Card title={w.slots} flush>
      <Table
        label={w.slots}
        rows={rows}
        rowKey={({ slot, mac }) => `${slot.slot_id} ${mac?.rental_id}`}
        columns={[
          { key: 'slot', header: w.slot, main: true, narrow: true, cell: ({ slot }) => slot.position },
          {
            key: 'mac',
            header: w.mac,
            cell: ({ mac, slot }) =>
              mac ? <NameAndId id={mac.rental_id} name={mac.name} /> : slot.held ? w.held : w.free,
          },
          {
            key: 'state',
            header: w.state,
            cell: ({ mac }) =>
              mac ? (
                <Badge tone={mac.build_id ? 'info' : mac.state === 'ready' ? 'good' : 'neutral'}>
                  {s.macState[mac.state as 'ready'] ?? mac.state}
                </Badge>
              ) : (
                ''
              ),
          },
          {
            key: 'making',
            header: w.making,
            cell: ({ mac }) => (mac ? <Making mac={mac} /> : ''),
          },
          {
            key: 'organization',
            header: w.organization,
            cell: ({ mac }) => (mac ? <Organization of={mac.organization} /> : ''),
          },
          { key: 'xcode', header: w.xcode, cell: ({ mac }) => mac?.xcode ?? '' },
          {
            key: 'build',
            header: w.build,
            cell: ({ mac }) => (mac?.build_id ? <code>{mac.build_id}</code> : ''),
          },
        ]}
      />
    </Card>
  );
}

/** Why the Mac cannot be made, in the words of the host too, and how far it is. */
function Making({ mac: { problem, progress } }: { mac: HostSlot['macs'][number] }) {
  const language = useLanguage();
  if (problem === null) return progress === null ? '' : <MakingProgress progress={progress} />;
  return (
    <Stack>
      <span>
        {say(macProblems, language, problem)} <RelativeTime at={problem.since} />
      </span>
      {problem.detail === null ? null : <Note>{problem.detail}</Note>}
    </Stack>
  );
}

export const Organization = ({ of }: { of: RunningBuild['organization'] }) => (
  <Link to="/operator/organizations/$org_id" params={{ org_id: of.org_id }}>
    {of.name}
  </Link>
);

export function BuildsCard({ host }: { host: FleetHostDetail }) {
  const w = useWords(words);
  const { running } = host;
  return (
    <Card title={w.builds}>
      <Stack>
        {host.status === 'draining' ? (
          <p role="status">{running.length === 0 ? w.drained : w.draining(running.length)}</p>
        ) : running.length === 0 ? (
          <Note>{w.noBuilds}</Note>
        ) : null}
        {running.length === 0 ? null : (
          <Table
            label={w.builds}
            rows={running}
            rowKey={(build) => build.build_id}
            columns={[
              { key: 'build', header: w.build, main: true, cell: (build) => <code>{build.build_id}</code> },
              {
                key: 'organization',
                header: w.organization,
                cell: (build) => <Organization of={build.organization} />,
              },
              {
                key: 'started',
                header: w.started,
                narrow: true,
                cell: (build) => (build.started_at === null ? '' : <Duration from={build.started_at} to={null} />),
              },
            ]}
          />
        )}
      </Stack>
    </Card>
  );
}
