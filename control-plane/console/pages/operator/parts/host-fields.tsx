// Fields of a host that an operator sets: its tier, slots and labels.
import { fieldProblem } from '../../../data/failure.js';
import { NumberField } from '../../../design/number-field.js';
import { Select } from '../../../design/select.js';
import { TextField } from '../../../design/text-field.js';
import { useWords } from '../../../words/use-words.js';
import { useTierOptions } from './filters.js';
import { words } from './words.js';

export interface HostFieldValues {
  /** '': none. */
  readonly tier: string;
  readonly slots: number | null;
  /** `key=value`, separated by spaces. */
  readonly labels: string;
}

export interface HostFieldsProps {
  readonly value: HostFieldValues;
  onChange(value: HostFieldValues): void;
  /** Whether the host may be without a tier. */
  readonly tierOptional: boolean;
  readonly tierNote: string;
  readonly slotsNote: string;
  /** Of the last attempt. */
  readonly error: unknown;
}

export function HostFields({ value, onChange, error, ...props }: HostFieldsProps) {
  const w = useWords(words);
  const tiers = useTierOptions();
  return (
    <>
      <Select
        label={w.tier}
        note={props.tierNote}
        value={value.tier}
        options={[...(props.tierOptional ? [{ value: '', label: w.noTier }] : []), ...tiers]}
        onChange={(tier) => onChange({ ...value, tier })}
      />
      <NumberField
        label={w.slotsField}
        note={props.slotsNote}
        problem={fieldProblem(error, 'slots')}
        value={value.slots}
        min={1}
        onChange={(slots) => onChange({ ...value, slots })}
      />
      <TextField
        label={w.labels}
        note={w.labelsNote}
        problem={fieldProblem(error, 'labels')}
        value={value.labels}
        onChange={(labels) => onChange({ ...value, labels })}
        required={false}
        spellCheck={false}
      />
    </>
  );
}
