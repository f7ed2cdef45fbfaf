import { useState } from 'react';
import type { WaitingMachine } from '../../../../../client/types.js';
import { Facts } from '../../../design/facts.js';
import { NumberField } from '../../../design/number-field.js';
import { Select } from '../../../design/select.js';
import { TextField } from '../../../design/text-field.js';
import { useWords } from '../../../words/use-words.js';
import { useTierOptions } from '../parts/filters.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import { words as parts } from '../parts/words.js';
import { words } from './words.js';

/** Shows what is known of the machine before it becomes a host. */
export function ApproveDialog({ machine, onClose }: { machine: WaitingMachine; onClose(): void }) {
  const w = useWords(words);
  const p = useWords(parts);
  const [name, setName] = useState(machine.name);
  const [tier, setTier] = useState('');
  const [slots, setSlots] = useState<number | null>(2);
  const input = {
    code: machine.code,
    name: name || undefined,
    tier: tier || undefined,
    slots: slots ?? undefined,
  };
  return (
    <OperationDialog
      open
      title={w.approveTitle(machine.name)}
      onOpenChange={onClose}
      operation={{ name: 'host.approve', input }}
      action={w.approve}
    >
      <p>{w.approveText}</p>
      <Facts
        facts={[
          { label: w.code, value: <code>{machine.code}</code> },
          { label: w.address, value: machine.ip },
          { label: w.hardware, value: `${machine.chip}, ${machine.os}` },
          { label: w.agent, value: machine.agent_version },
        ]}
      />
      <TextField name="name" label={w.name} value={name} onChange={setName} />
      <Select
        name="tier"
        label={p.tier}
        note={w.tierNote}
        value={tier}
        options={[{ value: '', label: p.noTier }, ...useTierOptions()]}
        onChange={setTier}
      />
      <NumberField name="slots" label={p.slotsField} note={w.slotsNote} value={slots} min={1} onChange={setSlots} />
    </OperationDialog>
  );
}
