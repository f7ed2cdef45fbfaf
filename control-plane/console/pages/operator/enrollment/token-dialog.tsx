import { useState } from 'react';
import { useTimeLimit } from '../../../data/session.js';
import { RadioGroup } from '../../../design/choices.js';
import { Code } from '../../../design/code.js';
import { NumberField } from '../../../design/number-field.js';
import { SecretDialog } from '../../../design/secret.js';
import { TextField } from '../../../design/text-field.js';
import { useNow } from '../../../words/use-now.js';
import { useWords } from '../../../words/use-words.js';
import { HostFields, type HostFieldValues } from '../parts/host-fields.js';
import { labelsOf } from '../parts/labels.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import { words } from './words.js';

type Kind = 'once' | 'reusable';
const WEEK_MS = 7 * 86_400_000;

/** @param install the command of the installer, with TOKEN in place of the token */
export function TokenDialog({ install, onClose }: { install: string; onClose(): void }) {
  const w = useWords(words);
  const tokenTime = useTimeLimit('enrolment_s');
  const [token, setToken] = useState<string | null>(null);
  const [kind, setKind] = useState<Kind>('once');
  const [name, setName] = useState('');
  const [host, setHost] = useState<HostFieldValues>({ tier: '', slots: 2, labels: '' });
  const [uses, setUses] = useState<number | null>(10);
  const inAWeek = localTime(useNow(60_000) + WEEK_MS);
  const [until, setUntil] = useState(inAWeek);
  if (token !== null) return <Created token={token} install={install} onClose={onClose} />;
  const reusable = kind === 'reusable';
  const { tier, slots, labels } = host;
  const time = Date.parse(until);
  const ofKind = reusable
    ? {
        reusable,
        uses: uses ?? undefined,
        until: (Number.isNaN(time) ? until : new Date(time).toISOString()) || undefined,
      }
    : { name: name || undefined };
  const input = { ...ofKind, tier: tier || undefined, slots: slots ?? undefined, labels: labelsOf(labels) };
  return (
    <OperationDialog
      open
      title={w.create}
      onOpenChange={onClose}
      operation={{ name: 'host.enroll', input }}
      action={w.create}
      onDone={(made) => setToken(made.token)}
    >
      <RadioGroup<Kind>
        name="reusable"
        label={w.kind}
        value={kind}
        options={[
          { value: 'once', label: w.once(tokenTime) },
          { value: 'reusable', label: w.reusable },
        ]}
        onChange={setKind}
      />
      {reusable ? (
        <>
          <NumberField name="uses" label={w.uses} value={uses} min={1} onChange={setUses} />
          <TextField name="until" label={w.until} type="datetime-local" value={until} onChange={setUntil} />
        </>
      ) : (
        <TextField name="name" label={w.name} note={w.nameNote} value={name} onChange={setName} required={false} />
      )}
      <HostFields value={host} onChange={setHost} tierOptional tierNote={w.tierNote} slotsNote={w.slotsNote} />
    </OperationDialog>
  );
}

function Created({ token, install, onClose }: { token: string; install: string; onClose(): void }) {
  const w = useWords(words);
  return (
    <SecretDialog
      title={w.made}
      label={w.tokenLabel}
      value={token}
      onStored={onClose}
      before={
        <>
          <p>{w.run}</p>
          <Code label={w.install}>{install.replace('TOKEN', token)}</Code>
        </>
      }
    />
  );
}

/** @example localTime(0) // '1970-01-01T09:00' in Seoul */
function localTime(ms: number): string {
  const zone = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - zone).toISOString().slice(0, 16);
}
