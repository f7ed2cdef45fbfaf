import type { AuditFilters } from '../../data/audit.js';
import type { RawSearch } from '../../data/search.js';
import { Filters, TypedFilter } from '../../design/filters.js';
import { Select } from '../../design/select.js';
import { TextField } from '../../design/text-field.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

const ANY = '';

export interface AuditFilterProps {
  readonly filters: AuditFilters;
  onChange(changes: RawSearch): void;
}

export function AuditFilterFields({ filters, onChange }: AuditFilterProps) {
  const w = useWords(words);
  const common = useWords(shared);
  const resources = Object.entries(w.resources).map(([value, label]) => ({ value, label }));
  const known = filters.action === undefined || resources.some(({ value }) => value === filters.action);
  return (
    <Filters>
      <Select
        label={w.action}
        value={filters.action ?? ANY}
        onChange={(action) => onChange({ action })}
        options={[
          { value: ANY, label: common.all },
          ...resources,
          ...(known || filters.action === undefined ? [] : [{ value: filters.action, label: filters.action }]),
        ]}
      />
      <Select
        label={w.result}
        value={filters.failed ?? ANY}
        onChange={(failed) => onChange({ failed })}
        options={[
          { value: ANY, label: common.all },
          { value: 'false', label: w.done },
          { value: 'true', label: w.failed },
        ]}
      />
      <TextField label={w.since} type="date" value={filters.since ?? ''} onChange={(since) => onChange({ since })} />
      <TextField label={w.until} type="date" value={filters.until ?? ''} onChange={(until) => onChange({ until })} />
      <TypedFilter
        label={w.actorFilter}
        placeholder={w.actorHint}
        value={filters.actor}
        onChange={(actor) => onChange({ actor })}
      />
    </Filters>
  );
}
