import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { tiersQuery } from '../../../data/operator.js';
import { Select } from '../../../design/select.js';
import { useWords } from '../../../words/use-words.js';
import { words } from './words.js';

/** A select with "all" as its first option. */
export function AnyOf({
  label,
  any,
  value,
  options,
  onChange,
  onOpen,
}: {
  label: string;
  any: string;
  value: string | undefined;
  options: readonly { readonly value: string; readonly label: string }[];
  onChange(value: string | undefined): void;
  onOpen?(): void;
}) {
  return (
    <Select
      inline
      {...(onOpen ? { onOpen } : {})}
      label={label}
      value={value ?? ''}
      options={[{ value: '', label: any }, ...options]}
      onChange={(next) => onChange(next === '' ? undefined : next)}
    />
  );
}

/**
 * The ids and names of all tiers; empty until they are known.
 *
 * @param enabled false: they are not asked for yet
 */
export function useTierOptions(enabled = true): readonly { readonly value: string; readonly label: string }[] {
  const { data } = useQuery({ ...tiersQuery, enabled });
  return data?.tiers.map(({ tier, name }) => ({ value: tier, label: `${tier} · ${name}` })) ?? [];
}

export function TierFilter({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange(tier: string | undefined): void;
}) {
  const w = useWords(words);
  // Few people filter by tier.
  const [opened, setOpened] = useState(false);
  const options = useTierOptions(opened || value !== undefined);
  return (
    <AnyOf
      label={w.tier}
      any={w.allTiers}
      value={value}
      options={options}
      onChange={onChange}
      onOpen={() => setOpened(true)}
    />
  );
}
