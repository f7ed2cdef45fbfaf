// Limits of an organization, and how much of its storage is used.
import { useState } from 'react';
import type { OperatorOrganization } from '../../../../../client/types.js';
import { Badge } from '../../../design/badge.js';
import { Button } from '../../../design/button.js';
import { Card } from '../../../design/card.js';
import { Checkbox } from '../../../design/choices.js';
import { Facts } from '../../../design/facts.js';
import { Stack } from '../../../design/page.js';
import { Meter } from '../../../design/progress.js';
import { TextField } from '../../../design/text-field.js';
import { useFormat } from '../../../words/language.js';
import { shared } from '../../../words/shared.js';
import { useWords } from '../../../words/use-words.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import styles from '../parts/parts.module.css';
import { words } from './words.js';

type Limit = OperatorOrganization['limits'][number];

const isBytes = ({ unit }: Limit) => unit?.name === 'GiB';
const isTime = ({ name }: Limit) => name.endsWith('_ms');

export function LimitsCard({ of }: { of: OperatorOrganization }) {
  const w = useWords(words);
  const format = useFormat();
  const [edits, setEdits] = useState(false);
  const text = (limit: Limit, value: number) =>
    isBytes(limit) ? format.bytes(value) : isTime(limit) ? format.duration(value) : format.number(value);
  const used = (limit: Limit) => of.usage[limit.name as 'logs_bytes'];
  const nameOf = (limit: Limit) => w.limitNames[limit.name as 'logs_bytes'] ?? limit.name;
  return (
    <Card
      title={w.limits}
      actions={
        <Button small onClick={() => setEdits(true)}>
          {w.edit}
        </Button>
      }
    >
      <Stack>
        {of.limits.filter(isBytes).map((limit) => (
          <Meter
            key={limit.name}
            label={nameOf(limit)}
            value={used(limit)}
            max={limit.value}
            text={`${format.bytes(used(limit))} / ${format.bytes(limit.value)}`}
          />
        ))}
        <Facts
          facts={of.limits
            .filter((limit) => !isBytes(limit) || limit.changed)
            .map((limit) => ({
              label: nameOf(limit),
              value: (
                <>
                  {text(limit, limit.value)} {limit.changed ? <Badge tone="info">{w.changed}</Badge> : null}
                </>
              ),
            }))}
        />
      </Stack>
      {edits ? <LimitsDialog of={of} nameOf={nameOf} onClose={() => setEdits(false)} /> : null}
    </Card>
  );
}

const shownValue = ({ value, unit }: Limit) => String(unit === null ? value : Number((value / unit.size).toFixed(3)));

function LimitsDialog({
  of,
  nameOf,
  onClose,
}: {
  of: OperatorOrganization;
  nameOf(limit: Limit): string;
  onClose(): void;
}) {
  const w = useWords(words);
  const s = useWords(shared);
  const before = Object.fromEntries(of.limits.map((limit) => [limit.option, limit.changed ? shownValue(limit) : '']));
  const [values, setValues] = useState<Readonly<Record<string, string>>>(before);
  const [reset, setReset] = useState(false);
  // Only a reset takes a limit back to its default; the others are then set again.
  const cleared = of.limits.some(({ option, changed }) => changed && values[option] === '');
  const given = Object.fromEntries(
    Object.entries(values)
      .filter(([option, value]) => !reset && value !== '' && (cleared || value !== before[option]))
      .map(([option, value]) => [option, Number(value)]),
  );
  return (
    <OperationDialog
      open
      title={w.edit}
      onOpenChange={onClose}
      operation={{ name: 'org.set-limits', input: { ...given, org: of.org_id, reset: reset || cleared } }}
      action={s.save}
    >
      <p>{w.editText}</p>
      <div className={styles.two}>
        {of.limits.map((limit) => (
          <TextField
            key={limit.name}
            name={limit.option}
            label={`${nameOf(limit)}${limit.unit ? `, ${limit.unit.name}` : ''}`}
            note={`${w.byDefault}: ${shownValue({ ...limit, value: limit.default })}`}
            inputMode="decimal"
            value={values[limit.option] ?? ''}
            onChange={(value) => setValues((now) => ({ ...now, [limit.option]: value.trim() }))}
            disabled={reset}
          />
        ))}
      </div>
      <Checkbox label={w.reset} checked={reset} onChange={setReset} />
    </OperationDialog>
  );
}
