// Renames a Mac in place: beside its name is a button, which opens a field.
import Pencil from 'lucide-react/icons/pencil';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { AgentMac } from '../../../client/types.js';
import { useRename } from '../data/macs.js';
import { MANAGERS, useMay, useOrganization } from '../data/session.js';
import { Button, IconButton } from '../design/button.js';
import field from '../design/field.module.css';
import { Form, FormFailure, useField } from '../design/form.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import styles from './macs.module.css';
import { nameProblem } from './name-problem.js';
import { words } from './words.js';

type Named = Pick<AgentMac, 'rental_id' | 'name'>;

/**
 * @param props.heading the name is the heading of the page, which stays for screen readers while the field is open
 * @param props.children the name as it is shown
 */
export function Renamable({ mac, heading = false, children }: { mac: Named; heading?: boolean; children: ReactNode }) {
  const w = useWords(words);
  const mayManage = useMay(MANAGERS);
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLSpanElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !editing) button.current?.querySelector('button')?.focus();
    wasEditing.current = editing;
  }, [editing]);
  if (!mayManage) return <>{children}</>;
  if (editing) {
    return (
      <>
        {heading ? <div className="unseen">{children}</div> : null}
        <NameForm mac={mac} onClose={() => setEditing(false)} />
      </>
    );
  }
  return (
    <span className={styles.named} ref={button}>
      {children}
      <IconButton label={w.rename(mac.name)} icon={<Pencil aria-hidden />} onClick={() => setEditing(true)} />
    </span>
  );
}

function NameForm({ mac, onClose }: { mac: Named; onClose(): void }) {
  const w = useWords(words);
  const common = useWords(shared);
  const rename = useRename(useOrganization(), mac.rental_id);
  const [name, setName] = useState(mac.name);
  const keyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onClose();
  };
  return (
    <Form
      className={styles.form}
      error={rename.error}
      checks={{ name: nameProblem(name) }}
      onSubmit={() => rename.isPending || rename.mutate(name, { onSuccess: onClose })}
      onKeyDown={keyDown}
    >
      <NameInput label={w.rename(mac.name)} value={name} onChange={setName} />
      <Button variant="primary" type="submit" pending={rename.isPending}>
        {w.save}
      </Button>
      <Button onClick={onClose}>{common.cancel}</Button>
      <FormFailure />
    </Form>
  );
}

/** A field without a label above it. */
function NameInput({ label, value, onChange }: { label: string; value: string; onChange(value: string): void }) {
  const id = useId();
  const { problem, edited } = useField('name');
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: the field was asked for
        autoFocus
        className={field.input}
        aria-label={label}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? id : undefined}
        autoComplete="off"
        dir="auto"
        value={value}
        onFocus={(event) => event.target.select()}
        onChange={(event) => {
          edited();
          onChange(event.target.value);
        }}
      />
      {problem ? (
        <p className={field.problem} id={id} role="alert">
          {problem}
        </p>
      ) : null}
    </>
  );
}
