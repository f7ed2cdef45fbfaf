import { useState } from 'react';
import type { NewApiKey } from '../../../../client/types.js';
import { fieldProblem } from '../../../../shared/messages/field-problems.js';
import { type KeyLevel, useCreateKey } from '../../data/keys.js';
import { useOrganization, workspaceOf } from '../../data/session.js';
import { Checkbox, CheckboxGroup } from '../../design/choices.js';
import { Code } from '../../design/code.js';
import { FormDialog } from '../../design/form-dialog.js';
import { Note } from '../../design/page.js';
import { SecretDialog } from '../../design/secret.js';
import { Select } from '../../design/select.js';
import { TextArea, TextField } from '../../design/text-field.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

const LEVELS: readonly KeyLevel[] = ['read', 'build', 'manage'];
const LIVES = ['never', '30', '90', '365'] as const;
type Life = (typeof LIVES)[number];

const DAY_MS = 24 * 3_600_000;

export function CreateKeyDialog({ onClose }: { onClose(): void }) {
  const w = useWords(words);
  const organization = useOrganization();
  const { workspaces } = organization;
  const create = useCreateKey(organization);
  const now = useNow(60_000);
  const [name, setName] = useState('');
  const [levels, setLevels] = useState<readonly KeyLevel[]>(['read', 'build']);
  const [workspace, setWorkspace] = useState(workspaceOf(organization) ?? workspaces[0]?.id ?? '');
  const [life, setLife] = useState<Life>('never');
  const [addresses, setAddresses] = useState('');
  const submit = () => {
    create.mutate({
      name: name.trim(),
      levels: [...levels],
      cidrs: addresses.split(/[\s,]+/).filter((text) => text !== ''),
      expires_at: life === 'never' ? null : new Date(now + Number(life) * DAY_MS).toISOString(),
      workspace_id: workspace === '' ? null : workspace,
    });
  };
  if (create.data) return <Created created={create.data} onClose={onClose} />;
  return (
    <FormDialog
      title={w.createTitle}
      submit={w.createIt}
      pending={create.isPending}
      error={create.error}
      checks={{ levels: levels.length === 0 ? fieldProblem('too_few', { least: 1 }) : null }}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={w.name}
        note={w.nameNote}
        value={name}
        onChange={setName}
        maxLength={100}
        autoComplete="off"
        required
      />
      <Levels value={levels} onChange={setLevels} />
      {workspaces.length > 1 ? (
        <Select
          name="workspace_id"
          label={w.workspace}
          note={w.workspaceNote}
          value={workspace}
          onChange={setWorkspace}
          options={workspaces.map(({ id, name: label }) => ({ value: id, label }))}
        />
      ) : null}
      <Select<Life>
        name="expires_at"
        label={w.expires}
        value={life}
        onChange={setLife}
        options={LIVES.map((value) => ({ value, label: w.lives[value] }))}
      />
      <TextArea
        name="cidrs"
        label={w.addresses}
        note={w.addressesNote}
        value={addresses}
        onChange={setAddresses}
        rows={2}
        autoComplete="off"
        spellCheck={false}
        required={false}
        placeholder="203.0.113.0/24"
      />
    </FormDialog>
  );
}

function Levels({ value, onChange }: { value: readonly KeyLevel[]; onChange(levels: readonly KeyLevel[]): void }) {
  const w = useWords(words);
  return (
    <CheckboxGroup name="levels" label={w.levels}>
      {LEVELS.map((level) => (
        <Checkbox
          key={level}
          label={`${w.level[level]}: ${w.levelNote[level]}`}
          checked={value.includes(level)}
          onChange={(on) => onChange(LEVELS.filter((each) => (each === level ? on : value.includes(each))))}
        />
      ))}
    </CheckboxGroup>
  );
}

/** The key, once, with what to do with it. */
function Created({ created: { key, name, levels }, onClose }: { created: NewApiKey; onClose(): void }) {
  const w = useWords(words);
  const url = `${location.origin}/api/v1`;
  return (
    <SecretDialog title={w.createdTitle(name)} label={w.theKey} value={key} onStored={onClose}>
      <div>
        <Note>{w.withCommandLine}</Note>
        <Code label={w.withCommandLine}>{`cidermill login --url ${url} --key ${key}`}</Code>
      </div>
      {levels.includes('read') ? (
        <div>
          <Note>{w.withCurl}</Note>
          <Code label={w.withCurl}>{`curl -H 'Authorization: Bearer ${key}' ${url}/me`}</Code>
        </div>
      ) : null}
    </SecretDialog>
  );
}
