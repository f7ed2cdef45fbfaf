// The filters above the list.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal';
import { useState } from 'react';
import { macQuery, macsOf, macsQuery } from '../../data/macs.js';
import { unlessMissing } from '../../data/queries.js';
import type { RawSearch } from '../../data/search.js';
import type { CurrentOrganization } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { ClearFilters, Filters as Fields, SearchField, TypedFilter } from '../../design/filters.js';
import { Select } from '../../design/select.js';
import { TextField } from '../../design/text-field.js';
import { endedMac } from '../../macs/ended-mac.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import styles from './page.module.css';
import { type BuildSearch, isFiltered, statuses } from './search.js';
import { words } from './words.js';

export interface FiltersProps {
  readonly org: CurrentOrganization;
  readonly search: BuildSearch;
  onChange(changes: RawSearch): void;
}

export function Filters({ org, search, onChange }: FiltersProps) {
  const w = useWords(words);
  const common = useWords(shared);
  const { status: _status, q: _q, ...others } = search;
  const [open, setOpen] = useState(isFiltered(others));
  const status = search.status ?? 'all';
  const statusText = (value: (typeof statuses)[number] | 'all') =>
    value === 'all' || value === 'active' ? w.statuses[value] : common.buildStatus[value];
  return (
    <Fields more={open ? <MoreFilters org={org} search={search} onChange={onChange} /> : null}>
      <Select
        inline
        label={w.status}
        value={status}
        options={(['all', ...statuses] as const).map((value) => ({ value, label: statusText(value) }))}
        onChange={(value) => onChange({ status: value === 'all' ? undefined : value })}
      />
      <SearchField label={w.search} placeholder={w.searchHint} value={search.q} onChange={(q) => onChange({ q })} />
      <Button icon={<SlidersHorizontal aria-hidden />} aria-expanded={open} onClick={() => setOpen(!open)}>
        {w.moreFilters}
      </Button>
      {isFiltered(search) ? (
        <ClearFilters
          quiet
          onClick={() => onChange(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])))}
        />
      ) : null}
    </Fields>
  );
}

/** Returns the name of a Mac that is not in the list, such as one whose rental has ended; its id if there is no such Mac. */
function useMacName(org: CurrentOrganization, rentalId: string, wanted: boolean): string {
  const query = macQuery(org, rentalId);
  const { data, error } = useQuery({ ...query, enabled: (state) => wanted && unlessMissing(state) });
  return data?.name ?? endedMac(error)?.name ?? (error === null ? '…' : rentalId);
}

function MoreFilters({ org, search, onChange }: FiltersProps) {
  const w = useWords(words);
  const pages = useInfiniteQuery(macsQuery(org));
  const macs = (macsOf(pages.data) ?? []).map(({ rental_id, name }) => ({ value: rental_id, label: name }));
  const chosen = search.rental_id;
  const isListed = chosen === undefined || macs.some(({ value }) => value === chosen);
  const other = useMacName(org, chosen ?? '', !pages.isPending && !isListed);
  // A name is free again when the rental of its Mac has ended.
  const label = macs.some(({ label }) => label === other) ? `${other} (${chosen})` : other;
  const known = isListed ? macs : [{ value: chosen, label }, ...macs];
  return (
    <div className={styles.more}>
      <TypedFilter
        label={w.repo}
        placeholder="owner/name"
        value={search.repo}
        onChange={(repo) => onChange({ repo })}
      />
      <TypedFilter
        label={w.pr}
        inputMode="numeric"
        value={search.pr === undefined ? undefined : String(search.pr)}
        onChange={(pr) => onChange({ pr })}
      />
      <div>
        <Select
          label={w.mac}
          value={chosen ?? 'all'}
          options={[{ value: 'all', label: w.anyMac }, ...known]}
          onChange={(value) => onChange({ rental_id: value === 'all' ? undefined : value })}
        />
        {pages.hasNextPage ? (
          <Button variant="link" pending={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            {w.moreMacs}
          </Button>
        ) : null}
      </div>
      <TextField label={w.from} type="date" value={search.from ?? ''} onChange={(from) => onChange({ from })} />
      <TextField label={w.to} type="date" value={search.to ?? ''} onChange={(to) => onChange({ to })} />
    </div>
  );
}
