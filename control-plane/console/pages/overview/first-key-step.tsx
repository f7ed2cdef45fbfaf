import { useState } from 'react';
import { useMay } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Form, FormFailure } from '../../design/form.js';
import { Secret } from '../../design/secret.js';
import { TextField } from '../../design/text-field.js';
import { useWords } from '../../words/use-words.js';
import type { useFirstKey } from './checklist-data.js';
import { checklistWords } from './checklist-words.js';
import styles from './overview.module.css';

/** @param create has the key, which only this page knows until it is left */
export function FirstKeyStep({ create, onStored }: { create: ReturnType<typeof useFirstKey>; onStored(): void }) {
  const { key: w } = useWords(checklistWords);
  const manages = useMay(['owner', 'admin']);
  const [name, setName] = useState<string>(w.defaultName);
  if (!manages) return <p>{w.ask}</p>;
  if (create.data) {
    return (
      <div className={styles.full}>
        <Secret label={w.label} value={create.data.key} onStored={onStored} />
      </div>
    );
  }
  return (
    <>
      <p>{w.text}</p>
      <Form className={styles.form} error={create.error} onSubmit={() => create.mutate(name)}>
        <TextField name="name" label={w.name} value={name} onChange={setName} maxLength={100} required />
        <Button variant="primary" type="submit" pending={create.isPending}>
          {w.create}
        </Button>
        <FormFailure />
      </Form>
    </>
  );
}
