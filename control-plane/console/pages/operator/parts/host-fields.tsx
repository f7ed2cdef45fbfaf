// Fields of a host that an operator sets: its tier, slots and labels.
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
  /** The object of the body that the fields are in, with a dot; default: the body itself. */
  readonly within?: '' | 'set.';
}

export function HostFields({ value, onChange, within = '', ...props }: HostFieldsProps) {
  const w = useWords(words);
  const tiers = useTierOptions();
  return (
    <>
      <Select
        name={`${within}tier`}
        label={w.tier}
        note={props.tierNote}
        value={value.tier}
        options={[...(props.tierOptional ? [{ value: '', label: w.noTier }] : []), ...tiers]}
        onChange={(tier) => onChange({ ...value, tier })}
      />
      <NumberField
        name={`${within}slots`}
        label={w.slotsField}
        note={props.slotsNote}
        value={value.slots}
        min={1}
        onChange={(slots) => onChange({ ...value, slots })}
      />
      <TextField
        name={`${within}labels`}
        label={w.labels}
        note={w.labelsNote}
        value={value.labels}
        onChange={(labels) => onChange({ ...value, labels })}
        required={false}
        spellCheck={false}
      />
    </>
  );
}
