import { type ReactNode, useId, useState } from 'react';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Form, FormFailure } from './form.js';
import { Stack } from './page.js';
import { TextField } from './text-field.js';

export interface ConfirmDialogProps {
  readonly title: string;
  readonly open: boolean;
  onOpenChange(open: boolean): void;
  /** What happens, in a sentence. */
  readonly children?: ReactNode;
  /** What is asked. */
  readonly fields?: ReactNode;
  /** What is lost, one entry each. */
  readonly loses?: readonly ReactNode[];
  /** The person has to type this text. For what cannot be brought back. */
  readonly typed?: string;
  /** Label of the button. */
  readonly action: string;
  /** Label of the other button; default: cancel. */
  readonly dismiss?: string;
  /** False: an action that loses nothing. */
  readonly danger?: boolean;
  readonly pending?: boolean;
  /** Why it cannot be done now, e.g. because a value is missing. */
  readonly refused?: string | null;
  readonly error?: unknown;
  onConfirm(): void;
}

/** Asks before something is deleted or stopped. Closes when `open` becomes false; it stays open after a failure. */
export function ConfirmDialog({
  title,
  open,
  onOpenChange,
  children,
  fields,
  loses = [],
  typed,
  action,
  dismiss,
  danger = true,
  pending = false,
  refused = null,
  error,
  onConfirm,
}: ConfirmDialogProps) {
  const w = useWords(shared);
  const [text, setText] = useState('');
  const ready = typed === undefined || text.trim() === typed;
  const id = useId();
  const confirm = () => {
    if (ready && refused === null && !pending) onConfirm();
  };
  const change = (next: boolean) => {
    setText('');
    onOpenChange(next);
  };
  return (
    <Dialog
      title={title}
      open={open}
      onOpenChange={change}
      description={children}
      actions={
        <>
          <Button onClick={() => change(false)}>{dismiss ?? w.cancel}</Button>
          <Button
            type="submit"
            form={id}
            variant={danger ? 'danger' : 'primary'}
            pending={pending}
            refused={ready || typed === undefined ? refused : w.typeToConfirm(typed)}
          >
            {action}
          </Button>
        </>
      }
    >
      <Form id={id} error={error} onSubmit={confirm}>
        <Stack>
          {fields}
          {loses.length > 0 ? (
            <div>
              <p>{w.loses}</p>
              <ul>
                {loses.map((each, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change while the dialog is open
                  <li key={at}>{each}</li>
                ))}
              </ul>
            </div>
          ) : null}
          {typed === undefined ? null : (
            <TextField
              label={w.typeToConfirm(typed)}
              value={text}
              onChange={setText}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          <FormFailure />
        </Stack>
      </Form>
    </Dialog>
  );
}
