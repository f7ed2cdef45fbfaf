// A dialog with a form: its fields, what is wrong with them, and the buttons.
import { type ReactNode, useId } from 'react';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { Button } from './button.js';
import { Dialog, type DialogProps } from './dialog.js';
import { type Checks, Form, FormFailure } from './form.js';
import { Stack } from './page.js';

export interface FormDialogProps extends Pick<DialogProps, 'title' | 'description' | 'above'> {
  /** Label of the button that submits. */
  readonly submit: string;
  readonly pending: boolean;
  /** Why it cannot be submitted yet. */
  readonly refused?: string | null;
  /** Of the last attempt; null: none has failed. */
  readonly error: unknown;
  readonly checks?: Checks;
  onSubmit(): void;
  onClose(): void;
  readonly children: ReactNode;
}

/** A dialog that is open while it is rendered. */
export function FormDialog(props: FormDialogProps) {
  const { title, description, above = false, submit, pending, refused = null, error, checks = {}, children } = props;
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
      <Form id={form} error={error} checks={checks} onSubmit={props.onSubmit}>
        <Stack>
          {children}
          <FormFailure />
        </Stack>
      </Form>
    </Dialog>
  );
}
