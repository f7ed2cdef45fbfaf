// Dialogs that change one host or several.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FleetHost } from '../../../../../client/types.js';
import { optionsOf, upgradeQuery } from '../../../data/operator.js';
import { Switch } from '../../../design/choices.js';
import { NumberField } from '../../../design/number-field.js';
import { Select } from '../../../design/select.js';
import { TextField } from '../../../design/text-field.js';
import { useFormat } from '../../../words/language.js';
import { shared as texts } from '../../../words/shared.js';
import { useWords } from '../../../words/use-words.js';
import { CommandDialog } from '../parts/command-dialog.js';
import { HostFields, type HostFieldValues } from '../parts/host-fields.js';
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
  const argv = [
    'host',
    action,
    ...idsOf(hosts),
    ...optionsOf({ reason: takesReason ? reason : '', yes: action === 'remove' && hosts.length > 1 }),
  ];
  const removes = action === 'remove';
  return (
    <CommandDialog
      open
      title={w.titles[action](names)}
      onOpenChange={onClose}
      argv={argv}
      action={w.actions[action]}
      danger={removes}
      typed={removes ? (hosts.length === 1 ? hosts[0]?.name : String(hosts.length)) : undefined}
      loses={
        removes
          ? [
              ...running.map((one) => w.buildLost(one.build_id, one.organization.name)),
              ...hosts
                .flatMap((host) => host.slot_details.flatMap((slot) => slot.macs))
                .map((mac) => w.macLost(mac.rental_id, mac.organization.name)),
            ]
          : []
      }
    >
      <p>{w.explain[action]}</p>
      {action === 'drain' && running.length > 0 ? <p>{w.stillRun(running.length)}</p> : null}
      {takesReason ? (
        <TextField label={w.reason} note={w.reasonNote} value={reason} onChange={setReason} required={false} />
      ) : null}
    </CommandDialog>
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
    <CommandDialog
      open
      title={w.titles.upgrade(names)}
      onOpenChange={onClose}
      argv={['host', 'upgrade', ...idsOf(hosts), ...optionsOf({ to: version, canary: canaries ?? 1 })]}
      action={w.actions.upgrade}
      refused={data && versions.length === 0 ? w.noPackages : null}
    >
      <p>{w.explain.upgrade}</p>
      {data && versions.length === 0 ? (
        <p>{w.noPackages}</p>
      ) : (
        <Select
          label={w.version}
          value={version}
          options={versions.map((value, at) => ({ value, label: at === 0 ? w.newest(value) : value }))}
          onChange={setChosen}
        />
      )}
      {hosts.length > 1 ? (
        <NumberField label={w.canaries} value={canaries} min={0} max={hosts.length} onChange={setCanaries} />
      ) : null}
    </CommandDialog>
  );
}

/** Tier, slots, labels, and whether several organizations share the host. */
export function SettingsDialog({ host, onClose }: { host: FleetHost; onClose(): void }) {
  const w = useWords(words);
  const s = useWords(texts);
  const [fields, setFields] = useState<HostFieldValues>({
    tier: host.tier ?? '',
    slots: host.slots,
    labels: textOfLabels(host.labels),
  });
  const { tier, slots, labels } = fields;
  const [shared, setShared] = useState(host.shared);
  const changes = {
    tier: tier === (host.tier ?? '') ? null : tier,
    slots: slots === host.slots ? null : slots,
    shared: shared === host.shared ? null : String(shared),
  };
  const changedLabels = labelChanges(host.labels, labels);
  const argv = [
    'host',
    'set',
    host.host_id,
    ...optionsOf(changes),
    ...changedLabels.map((label) => `--label=${label}`),
  ];
  return (
    <CommandDialog
      open
      title={w.settings(host.name)}
      onOpenChange={onClose}
      argv={argv}
      action={s.save}
      refused={argv.length > 3 ? null : w.nothing}
    >
      {(error) => (
        <>
          <HostFields
            value={fields}
            onChange={setFields}
            tierOptional={host.tier === null}
            tierNote={w.tierNote}
            slotsNote={w.slotsNote}
            error={error}
          />
          <Switch label={w.shared} checked={shared} onChange={setShared} />
        </>
      )}
    </CommandDialog>
  );
}

const textOfLabels = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');

/** Returns the values of `--label`: what is new or different, and `key=` for what is gone. */
export function labelChanges(before: Readonly<Record<string, string>>, text: string): string[] {
  const wanted = text.split(/\s+/).filter((one) => one !== '');
  const keys = new Set(wanted.map((one) => one.split('=', 1)[0] ?? ''));
  return [
    ...wanted.filter((one) => {
      const [key = '', value] = one.split(/=(.*)/s);
      // Without a value it is refused by the service, with the reason.
      return value === undefined || before[key] !== value;
    }),
    ...Object.keys(before)
      .filter((key) => !keys.has(key))
      .map((key) => `${key}=`),
  ];
}
