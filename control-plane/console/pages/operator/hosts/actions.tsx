// Dialogs that change one host or several.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FleetHost } from '../../../../../client/types.js';
import { upgradeQuery } from '../../../data/operator.js';
import { Switch } from '../../../design/choices.js';
import { NumberField } from '../../../design/number-field.js';
import { Select } from '../../../design/select.js';
import { TextField } from '../../../design/text-field.js';
import { useFormat } from '../../../words/language.js';
import { shared as texts } from '../../../words/shared.js';
import { useWords } from '../../../words/use-words.js';
import { HostFields, type HostFieldValues } from '../parts/host-fields.js';
import { labelChanges, labelsText } from '../parts/labels.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import { words as parts } from '../parts/words.js';
import { words } from './words.js';

export type HostAction = 'drain' | 'cordon' | 'undrain' | 'upgrade' | 'remove';

/** Actions that are possible in the state of the host. */
export const actionsOf = ({ status }: Pick<FleetHost, 'status'>): readonly HostAction[] =>
  status === 'removed'
    ? []
    : status === 'pending'
      ? ['remove']
      : [
          ...(status === 'draining' ? [] : (['drain'] as const)),
          ...(status === 'cordoned' ? [] : (['cordon'] as const)),
          ...(status === 'active' ? [] : (['undrain'] as const)),
          'upgrade',
          'remove',
        ];

interface Props {
  readonly action: HostAction | null;
  readonly hosts: readonly FleetHost[];
  onClose(): void;
}

export function HostActionDialog({ action, hosts, onClose }: Props) {
  if (action === null || hosts.length === 0) return null;
  if (action === 'upgrade') return <UpgradeDialog hosts={hosts} onClose={onClose} />;
  return <StateDialog action={action} hosts={hosts} onClose={onClose} />;
}

function useNames(hosts: readonly FleetHost[]): string {
  const p = useWords(parts);
  const format = useFormat();
  return hosts.length <= 3 ? format.list(hosts.map(({ name }) => name)) : p.hosts(hosts.length);
}

const idsOf = (hosts: readonly FleetHost[]) => hosts.map(({ host_id }) => host_id);

function StateDialog({ action, hosts, onClose }: Props & { readonly action: Exclude<HostAction, 'upgrade'> }) {
  const w = useWords(words);
  const [reason, setReason] = useState('');
  const names = useNames(hosts);
  const running = hosts.flatMap((host) => host.running);
  const takesReason = action === 'drain' || action === 'cordon';
  const removes = action === 'remove';
  const ids = idsOf(hosts);
  const operation =
    action === 'remove'
      ? ({ name: 'host.remove', input: { hosts: ids, confirmed: hosts.length > 1 } } as const)
      : action === 'undrain'
        ? ({ name: 'host.undrain', input: { hosts: ids } } as const)
        : ({ name: `host.${action}`, input: { hosts: ids, reason: reason || undefined } } as const);
  return (
    <OperationDialog
      open
      title={w.titles[action](names)}
      onOpenChange={onClose}
      operation={operation}
      action={w.actions[action]}
      danger={removes}
      typed={removes ? (hosts.length === 1 ? hosts[0]?.name : String(hosts.length)) : undefined}
      loses={
        removes
          ? [
              ...running.map((one) => w.buildLost(one.build_id, one.organization.name)),
              ...hosts
                .flatMap((host) => host.slot_details.flatMap((slot) => slot.macs))
                .map((mac) => w.macLost(`${mac.name} (${mac.rental_id})`, mac.organization.name)),
            ]
          : []
      }
    >
      <p>{w.explain[action]}</p>
      {action === 'drain' && running.length > 0 ? <p>{w.stillRun(running.length)}</p> : null}
      {takesReason ? (
        <TextField
          name="reason"
          label={w.reason}
          note={w.reasonNote}
          value={reason}
          onChange={setReason}
          required={false}
        />
      ) : null}
    </OperationDialog>
  );
}

function UpgradeDialog({ hosts, onClose }: Pick<Props, 'hosts' | 'onClose'>) {
  const w = useWords(words);
  const names = useNames(hosts);
  const { data } = useQuery(upgradeQuery);
  const versions = data?.versions ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [canaries, setCanaries] = useState<number | null>(1);
  const version = chosen ?? versions[0] ?? '';
  return (
    <OperationDialog
      open
      title={w.titles.upgrade(names)}
      onOpenChange={onClose}
      operation={{
        name: 'host.upgrade',
        input: { hosts: idsOf(hosts), to: version || undefined, canary: canaries ?? undefined },
      }}
      action={w.actions.upgrade}
      refused={data && versions.length === 0 ? w.noPackages : null}
    >
      <p>{w.explain.upgrade}</p>
      {data && versions.length === 0 ? (
        <p>{w.noPackages}</p>
      ) : (
        <Select
          name="to"
          label={w.version}
          value={version}
          options={versions.map((value, at) => ({ value, label: at === 0 ? w.newest(value) : value }))}
          onChange={setChosen}
        />
      )}
      {hosts.length > 1 ? (
        <NumberField
          name="canary"
          label={w.canaries}
          value={canaries}
          min={0}
          max={hosts.length}
          onChange={setCanaries}
        />
      ) : null}
    </OperationDialog>
  );
}

/** Tier, slots, labels, and whether several organizations share the host. */
export function SettingsDialog({ host, onClose }: { host: FleetHost; onClose(): void }) {
  const w = useWords(words);
  const s = useWords(texts);
  const [fields, setFields] = useState<HostFieldValues>({
    tier: host.tier ?? '',
    slots: host.slots,
    labels: labelsText(host.labels),
  });
  const { tier, slots, labels } = fields;
  const [shared, setShared] = useState(host.shared);
  const changed = labelChanges(host.labels, labels);
  const set = {
    tier: tier === (host.tier ?? '') ? undefined : tier || undefined,
    slots: slots === host.slots ? undefined : (slots ?? undefined),
    shared: shared === host.shared ? undefined : shared,
    labels: Object.keys(changed).length === 0 ? undefined : changed,
  };
  return (
    <OperationDialog
      open
      title={w.settings(host.name)}
      onOpenChange={onClose}
      operation={{ name: 'host.set', input: { hosts: [host.host_id], set } }}
      action={s.save}
      refused={Object.values(set).every((value) => value === undefined) ? w.nothing : null}
    >
      <HostFields
        value={fields}
        onChange={setFields}
        tierOptional={host.tier === null}
        tierNote={w.tierNote}
        slotsNote={w.slotsNote}
        within="set."
      />
      <Switch label={w.shared} checked={shared} onChange={setShared} />
    </OperationDialog>
  );
}
