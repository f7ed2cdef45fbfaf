// A dialog with a form: its fields, why the last attempt failed, and the buttons.
import { type ReactNode, useId } from 'react';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { Button } from './button.js';
import { Dialog, type DialogProps } from './dialog.js';
import { FailureNote } from './failure-note.js';
import { Stack } from './page.js';

export interface FormDialogProps extends Pick<DialogProps, 'title' | 'description' | 'above'> {
  /** Label of the button that submits. */
  readonly submit: string;
  readonly pending: boolean;
  /** Why it cannot be submitted yet. */
  readonly refused?: string | null;
  /** Of the last attempt; null: none has failed. */
  readonly error: unknown;
  /** The form checks its fields itself, or leaves it to the service; otherwise the browser does. */
  readonly noValidate?: boolean;
  onSubmit(): void;
  onClose(): void;
  readonly children: ReactNode;
}

/** A dialog that is open while it is rendered. */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    description,
    above = false,
    submit,
    pending,
    refused = null,
    error,
    noValidate = false,
    children,
  } = props;
  const w = useWords(shared);
  const form = useId();
  return (
    <Dialog
      title={title}
      description={description}
      above={above}
      open
      onOpenChange={(open) => open || props.onClose()}
      actions={
        <>
          <Button onClick={props.onClose}>{w.cancel}</Button>
          <Button variant="primary" type="submit" form={form} pending={pending} refused={refused}>
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate={noValidate}
        onSubmit={(event) => {
          event.preventDefault();
          props.onSubmit();
        }}
      >
        <Stack>
          {children}
          {error ? <FailureNote error={error} /> : null}
        </Stack>
      </form>
    </Dialog>
  );
}
