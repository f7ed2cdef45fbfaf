import { useState } from 'react';
import type { OperatorTier } from '../../../../../client/types.js';
import { Switch } from '../../../design/choices.js';
import { NumberField } from '../../../design/number-field.js';
import { TextField } from '../../../design/text-field.js';
import { shared } from '../../../words/shared.js';
import { useWords } from '../../../words/use-words.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import styles from '../parts/parts.module.css';
import { words } from './words.js';

const AUTO = 'auto';

interface Form {
  readonly name: string;
  readonly price: number | null;
  readonly chip: string;
  readonly cores: number | null;
  readonly memory: number | null;
  readonly disk: number | null;
  readonly macos: string;
  readonly xcode: string;
  readonly defaultXcode: string;
  readonly runtimes: string;
  readonly tools: string;
  readonly image: string;
  readonly open: boolean;
  readonly days: number | null;
}

function formOf(tier: OperatorTier | null): Form {
  const listed = (values: readonly string[], name: string) =>
    tier?.from_image.includes(name) ? AUTO : values.join(', ');
  return {
    name: tier?.name ?? '',
    price: tier?.price_won ?? null,
    chip: tier?.spec.chip ?? '',
    cores: tier?.spec.cpu_cores ?? null,
    memory: tier?.spec.memory_gb ?? null,
    disk: tier?.spec.disk_gb ?? null,
    macos: tier?.from_image.includes('macos') ? AUTO : (tier?.spec.macos ?? AUTO),
    xcode: listed(tier?.xcode_versions ?? [], 'xcodes') || AUTO,
    defaultXcode: tier?.from_image.includes('default_xcode') ? '' : (tier?.default_xcode ?? ''),
    runtimes: listed(tier?.runtimes ?? [], 'runtimes') || AUTO,
    tools: listed(tier?.tools ?? [], 'tools') || AUTO,
    image: tier?.image ?? '',
    open: tier?.sales_open ?? true,
    days: tier?.max_days ?? 30,
  };
}

const listOf = (text: string): string[] | typeof AUTO =>
  text === AUTO
    ? AUTO
    : text
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '');

/** The values that differ from what there is; all of them for a new tier. An empty field leaves its value as it is. */
function changedValues(form: Form, before: Form | null) {
  const of = <K extends keyof Form>(key: K): Exclude<Form[K], null> | undefined => {
    const value = form[key];
    if (value === null || value === '' || (before !== null && value === before[key])) return undefined;
    return value as Exclude<Form[K], null>;
  };
  const list = (key: 'xcode' | 'runtimes' | 'tools') => {
    const text = of(key);
    return text === undefined ? undefined : listOf(text);
  };
  return {
    name: of('name'),
    price_won: of('price'),
    chip: of('chip'),
    cpu_cores: of('cores'),
    memory_gb: of('memory'),
    disk_gb: of('disk'),
    macos: of('macos'),
    xcode: list('xcode'),
    default_xcode: of('defaultXcode'),
    runtimes: list('runtimes'),
    tools: list('tools'),
    image: of('image'),
    sales_open: of('open'),
    max_days: of('days'),
  };
}

export function TierDialog({ tier, onClose }: { tier: OperatorTier | null; onClose(): void }) {
  const w = useWords(words);
  const s = useWords(shared);
  const before = formOf(tier);
  const [id, setId] = useState('');
  const [form, setForm] = useState(before);
  const set =
    <K extends keyof Form>(key: K) =>
    (value: Form[K]) =>
      setForm((now) => ({ ...now, [key]: value }));
  const values = changedValues(form, tier === null ? null : before);
  return (
    <OperationDialog
      open
      title={tier === null ? w.add : w.editTitle(tier.name)}
      onOpenChange={onClose}
      operation={{ name: tier === null ? 'tier.add' : 'tier.edit', input: { ...values, tier: tier?.tier ?? id } }}
      action={tier === null ? w.add : s.save}
    >
      <div className={styles.two}>
        {tier === null ? (
          <TextField name="tier" label={w.id} note={w.idNote} value={id} onChange={setId} spellCheck={false} required />
        ) : null}
        <TextField name="name" label={w.name} note={w.nameNote} value={form.name} onChange={set('name')} required />
        <NumberField
          name="price_won"
          label={w.priceWon}
          value={form.price}
          min={0}
          step={1_000}
          onChange={set('price')}
        />
        <NumberField name="max_days" label={w.maxDays} value={form.days} min={1} onChange={set('days')} />
      </div>
      <Switch label={w.onSale} checked={form.open} onChange={set('open')} />
      <TextField
        name="image"
        label={w.image}
        note={w.imageNote}
        value={form.image}
        onChange={set('image')}
        spellCheck={false}
        required={false}
      />
      <div className={styles.two}>
        <TextField name="chip" label={w.chip} value={form.chip} onChange={set('chip')} required={false} />
        <NumberField name="cpu_cores" label={w.cpuCores} value={form.cores} min={0} onChange={set('cores')} />
        <NumberField name="memory_gb" label={w.memoryGb} value={form.memory} min={0} onChange={set('memory')} />
        <NumberField name="disk_gb" label={w.diskGbLabel} value={form.disk} min={0} onChange={set('disk')} />
        <TextField name="macos" label={w.macos} note={w.auto} value={form.macos} onChange={set('macos')} />
        <TextField
          name="default_xcode"
          label={w.defaultXcode}
          value={form.defaultXcode}
          onChange={set('defaultXcode')}
          required={false}
        />
      </div>
      <TextField name="xcode" label={w.xcodes} note={w.listNote} value={form.xcode} onChange={set('xcode')} />
      <TextField
        name="runtimes"
        label={w.runtimes}
        note={w.listNote}
        value={form.runtimes}
        onChange={set('runtimes')}
      />
      <TextField name="tools" label={w.tools} note={w.listNote} value={form.tools} onChange={set('tools')} />
    </OperationDialog>
  );
}
