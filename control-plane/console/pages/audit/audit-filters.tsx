import { type FormEvent, useEffect, useState } from 'react';
import type { AuditFilters } from '../../data/audit.js';
import type { RawSearch } from '../../data/search.js';
import { Button } from '../../design/button.js';
import { Select } from '../../design/select.js';
import { TextField } from '../../design/text-field.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import styles from './audit.module.css';
import { words } from './words.js';

const ANY = '';

export interface AuditFilterProps {
  readonly filters: AuditFilters;
  onChange(changes: RawSearch): void;
}

export function AuditFilterFields({ filters, onChange }: AuditFilterProps) {
  const w = useWords(words);
  const common = useWords(shared);
  const [actor, setActor] = useState(filters.actor ?? '');
  useEffect(() => setActor(filters.actor ?? ''), [filters.actor]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ actor: actor.trim() });
  };
  const resources = Object.entries(w.resources).map(([value, label]) => ({ value, label }));
  const known = filters.action === undefined || resources.some(({ value }) => value === filters.action);
  return (
    <form className={styles.filters} onSubmit={submit}>
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
      <TextField
        label={w.actorFilter}
        placeholder={w.actorHint}
        value={actor}
        onChange={setActor}
        onBlur={submit}
        autoComplete="off"
        spellCheck={false}
      />
      <Button type="submit">{w.filter}</Button>
    </form>
  );
}
