import type { RawSearch } from '../../data/search.js';
import { Filters as Fields, TypedFilter } from '../../design/filters.js';
import { Select } from '../../design/select.js';
import { useWords } from '../../words/use-words.js';
import { type ErrorSearch, faults, kinds, type Period, periods } from './search.js';
import { words } from './words.js';

export interface FiltersProps {
  readonly search: ErrorSearch;
  onChange(changes: RawSearch): void;
}

export function Filters({ search, onChange }: FiltersProps) {
  const w = useWords(words);
  return (
    <Fields>
      <Select
        label={w.kind}
        value={search.kind ?? 'any'}
        options={[{ value: 'any', label: w.anyKind }, ...kinds.map((value) => ({ value, label: w.kinds[value] }))]}
        onChange={(kind) => onChange({ kind: kind === 'any' ? undefined : kind })}
      />
      <Select
        label={w.fault}
        value={search.fault ?? 'any'}
        options={[{ value: 'any', label: w.anyFault }, ...faults.map((value) => ({ value, label: w.faults[value] }))]}
        onChange={(fault) => onChange({ fault: fault === 'any' ? undefined : fault })}
      />
      <Select<Period>
        label={w.period}
        value={search.period}
        options={(Object.keys(periods) as Period[]).map((value) => ({ value, label: w.periods[value] }))}
        onChange={(since) => onChange({ since: since === 'all' ? undefined : since })}
      />
      <TypedFilter
        label={w.code}
        placeholder="rate_limited"
        value={search.code ?? undefined}
        onChange={(code) => onChange({ code })}
      />
    </Fields>
  );
}
