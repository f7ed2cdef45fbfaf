// One host: the machine, its slots and builds, its health, and its connections.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { FleetHostDetail } from '../../../../../client/types.js';
import { hostQuery } from '../../../data/operator.js';
import { Button } from '../../../design/button.js';
import { Card } from '../../../design/card.js';
import { DangerCard } from '../../../design/danger-card.js';
import { Link } from '../../../design/link.js';
import { Columns, Page } from '../../../design/page.js';
import { Select } from '../../../design/select.js';
import { useWords } from '../../../words/use-words.js';
import { actionsOf, type HostAction, HostActionDialog, SettingsDialog } from '../hosts/actions.js';
import { words as hostWords } from '../hosts/words.js';
import { useTierOptions } from '../parts/filters.js';
import { HostState } from '../parts/host-state.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import { Loaded } from '../parts/paged-table.js';
import { words as parts } from '../parts/words.js';
import { ConnectionsCard, HealthCard } from './health-card.js';
import { MachineFacts } from './machine-facts.js';
import { BuildsCard, SlotsCard } from './slots-card.js';
import { words } from './words.js';

export default function HostPage() {
  const w = useWords(words);
  const { host_id = '' } = useParams({ strict: false }) as { host_id?: string };
  const query = useQuery(hostQuery(host_id));
  const host = query.data;
  return (
    <Page
      title={host?.name ?? w.title}
      crumbs={<Link to="/operator">{w.fleet}</Link>}
      lead={host ? <HostState host={host} /> : undefined}
      actions={host ? <Actions host={host} /> : undefined}
    >
      <Loaded query={query} lines={12}>
        {(found) => (
          <>
            <Columns>
              <Card title={w.machine}>
                <MachineFacts host={found} />
              </Card>
              <BuildsCard host={found} />
            </Columns>
            <SlotsCard host={found} />
            <HealthCard host={found} />
            <ConnectionsCard host={found} />
            <Danger host={found} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ host }: { host: FleetHostDetail }) {
  const w = useWords(words);
  const h = useWords(hostWords);
  const [asked, setAsked] = useState<HostAction | 'settings' | 'approve' | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      {host.status === 'pending' ? (
        <Button variant="primary" onClick={() => setAsked('approve')}>
          {w.approve}
        </Button>
      ) : null}
      {host.status === 'removed' ? null : <Button onClick={() => setAsked('settings')}>{h.actions.settings}</Button>}
      {actionsOf(host)
        .filter((action) => action !== 'remove')
        .map((action) => (
          <Button key={action} onClick={() => setAsked(action)}>
            {h.actions[action]}
          </Button>
        ))}
      {asked === 'settings' ? <SettingsDialog host={host} onClose={close} /> : null}
      {asked === 'approve' ? <ApproveDialog host={host} onClose={close} /> : null}
      <HostActionDialog
        action={asked === 'settings' || asked === 'approve' ? null : asked}
        hosts={[host]}
        onClose={close}
      />
    </>
  );
}

function Danger({ host }: { host: FleetHostDetail }) {
  const h = useWords(hostWords);
  const [asks, setAsks] = useState(false);
  const removes = actionsOf(host).includes('remove');
  const remove = { action: h.actions.remove, text: h.explain.remove, onSelect: () => setAsks(true) };
  return (
    <>
      <DangerCard actions={removes ? [remove] : []} />
      <HostActionDialog action={asks ? 'remove' : null} hosts={[host]} onClose={() => setAsks(false)} />
    </>
  );
}

function ApproveDialog({ host, onClose }: { host: FleetHostDetail; onClose(): void }) {
  const w = useWords(words);
  const p = useWords(parts);
  const [tier, setTier] = useState(host.tier ?? '');
  return (
    <OperationDialog
      open
      title={`${w.approve}: ${host.name}`}
      onOpenChange={onClose}
      operation={{ name: 'host.approve', input: { host: host.host_id, tier: tier || undefined } }}
      action={w.approve}
    >
      <p>{w.approveText}</p>
      <Select
        name="tier"
        label={p.tier}
        value={tier}
        options={[{ value: '', label: p.noTier }, ...useTierOptions()]}
        onChange={setTier}
      />
    </OperationDialog>
  );
}
