// How many Macs, for how long, from when, with which Xcode.
import type { CatalogTier } from '../../../../client/types.js';
import type { RawSearch } from '../../data/search.js';
import { RadioGroup } from '../../design/choices.js';
import { NumberField } from '../../design/number-field.js';
import { Note } from '../../design/page.js';
import { Select } from '../../design/select.js';
import { TextField } from '../../design/text-field.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './rent.module.css';
import { localTime, MOST_UNITS, type RentSearch } from './search.js';
import { words } from './words.js';

const DAY_MS = 24 * 3_600_000;

interface OrderFieldsProps {
  readonly tier: CatalogTier;
  readonly search: RentSearch;
  onChange(changes: RawSearch): void;
}

/** The Xcode that was chosen, if the tier has it; null: the tier's default. */
export const xcodeOf = (tier: CatalogTier, { xcode }: RentSearch): string | null =>
  xcode !== null && tier.xcode_versions.includes(xcode) ? xcode : null;

export function OrderFields({ tier, search, onChange }: OrderFieldsProps) {
  const w = useWords(words);
  return (
    <>
      <div className={styles.pair}>
        <NumberField
          name="units"
          label={w.units}
          value={search.units}
          min={1}
          max={MOST_UNITS}
          onChange={(value) => onChange({ units: String(value ?? 1) })}
        />
        <NumberField
          name="hours"
          label={w.days}
          value={search.days}
          min={1}
          max={tier.max_days}
          onChange={(value) => onChange({ days: String(value ?? 1) })}
        />
      </div>
      <Note>{w.daysNote(tier.max_days)}</Note>
      <StartFields start={search.start} onChange={(start) => onChange({ start })} />
      <XcodeField tier={tier} search={search} onChange={onChange} />
    </>
  );
}

function StartFields({ start, onChange }: { start: string; onChange(start: string | undefined): void }) {
  const w = useWords(words);
  const now = useNow(60_000);
  return (
    <>
      <RadioGroup
        label={w.start}
        value={start === 'now' ? 'now' : 'later'}
        options={[
          { value: 'now', label: w.startNow },
          { value: 'later', label: w.startLater },
        ]}
        onChange={(value) => onChange(value === 'now' ? undefined : localTime(now + DAY_MS))}
      />
      {start === 'now' ? null : (
        <TextField
          name="start"
          label={w.startAt}
          type="datetime-local"
          value={start}
          min={localTime(now)}
          note={w.startNote}
          onChange={onChange}
        />
      )}
    </>
  );
}

function XcodeField({ tier, search, onChange }: OrderFieldsProps) {
  const w = useWords(words);
  const { xcode_versions: versions, default_xcode: usual } = tier;
  if (versions.length === 0) return null;
  return (
    <Select
      name="setup.xcode"
      label={w.setup}
      value={xcodeOf(tier, search) ?? ''}
      options={[
        { value: '', label: usual === null ? w.setupNone : w.setupDefault(usual) },
        ...versions.filter((version) => version !== usual).map((version) => ({ value: version, label: version })),
      ]}
      onChange={(value) => onChange({ xcode: value === '' ? undefined : value })}
    />
  );
}
