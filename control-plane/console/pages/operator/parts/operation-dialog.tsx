// A dialog that makes one change, after its form was filled in.

import { type ReactNode, useId, useState } from 'react';
import { type OperationAnswer, type OperationCall, type OperationName, useOperation } from '../../../data/operator.js';
import { Button } from '../../../design/button.js';
import { Dialog } from '../../../design/dialog.js';
import { Form, FormFailure } from '../../../design/form.js';
import { Stack } from '../../../design/page.js';
import { TextField } from '../../../design/text-field.js';
import { useToast } from '../../../design/toast.js';
import { shared } from '../../../words/shared.js';
import { useWords } from '../../../words/use-words.js';
import { words } from './words.js';

export interface OperationDialogProps<Name extends OperationName> {
  readonly title: string;
  readonly open: boolean;
  onOpenChange(open: boolean): void;
  readonly operation: OperationCall<Name>;
  /** Label of the button. */
  readonly action: string;
  readonly danger?: boolean;
  /** What is lost, one entry each. */
  readonly loses?: readonly ReactNode[];
  /** The person has to type this text. */
  readonly typed?: string | undefined;
  /** Why the change cannot be made yet. */
  readonly refused?: string | null;
  /** Form fields and explanations. */
  readonly children?: ReactNode;
  /** Called with the answer. Without it the dialog closes and a message says what was done. */
  onDone?(answer: OperationAnswer<Name>): void;
  /** The message; default: "Done". */
  readonly done?: string;
}

export function OperationDialog<Name extends OperationName>(props: OperationDialogProps<Name>) {
  // Every opening begins with an empty form of its own.
  return props.open ? <OpenDialog {...props} /> : null;
}

function OpenDialog<Name extends OperationName>({
  title,
  open,
  onOpenChange,
  operation,
  action,
  danger = false,
  loses = [],
  typed,
  refused = null,
  children,
  onDone,
  done,
}: OperationDialogProps<Name>) {
  const w = useWords(words);
  const s = useWords(shared);
  const id = useId();
  const toast = useToast();
  const change = useOperation<Name>();
  const [text, setText] = useState('');
  const { error } = change;

  const run = () =>
    change.mutate(operation, {
      onSuccess(answer) {
        if (onDone) return onDone(answer);
        onOpenChange(false);
        toast.done(done ?? w.done);
      },
    });

  const missing = typed !== undefined && text.trim() !== typed ? s.typeToConfirm(typed) : null;
  return (
    <Dialog
      title={title}
      open={open}
      onOpenChange={onOpenChange}
      actions={
        <>
          <Button onClick={() => onOpenChange(false)}>{s.cancel}</Button>
          <Button
            type="submit"
            form={id}
            variant={danger ? 'danger' : 'primary'}
            pending={change.isPending}
            refused={refused ?? missing}
          >
            {action}
          </Button>
        </>
      }
    >
      <Form
        id={id}
        error={error}
        onSubmit={() => {
          if (refused === null && missing === null && !change.isPending) run();
        }}
      >
        <Stack>
          {children}
          <Losses of={loses} />
          {typed === undefined ? null : (
            <TextField
              label={s.typeToConfirm(typed)}
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

function Losses({ of }: { of: readonly ReactNode[] }) {
  const s = useWords(shared);
  if (of.length === 0) return null;
  return (
    <div>
      <p>{s.loses}</p>
      <ul>
        {of.map((each, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change while the dialog is open
          <li key={at}>{each}</li>
        ))}
      </ul>
    </div>
  );
}
