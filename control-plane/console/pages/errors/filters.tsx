import { useEffect, useState } from 'react';
import type { RawSearch } from '../../data/search.js';
import { Row } from '../../design/page.js';
import { Select } from '../../design/select.js';
import { TextField } from '../../design/text-field.js';
import { useWords } from '../../words/use-words.js';
import { type ErrorSearch, faults, kinds, type Period, periods } from './search.js';
import { words } from './words.js';

export interface FiltersProps {
  readonly search: ErrorSearch;
  onChange(changes: RawSearch): void;
}

export function Filters({ search, onChange }: FiltersProps) {
  const w = useWords(words);
  const [code, setCode] = useState(search.code ?? '');
  useEffect(() => setCode(search.code ?? ''), [search.code]);
  return (
    <search aria-label={w.filters}>
      <Row>
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
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onChange({ code: code.trim() });
          }}
        >
          <TextField
            label={w.code}
            type="search"
            placeholder="rate_limited"
            value={code}
            onChange={setCode}
            onBlur={() => onChange({ code: code.trim() })}
            spellCheck={false}
            autoComplete="off"
          />
        </form>
      </Row>
    </search>
  );
}
