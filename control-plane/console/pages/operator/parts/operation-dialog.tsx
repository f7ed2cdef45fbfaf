// A dialog that makes one change, after its form was filled in.

import type { ReactNode } from 'react';
import { type OperationAnswer, type OperationCall, type OperationName, useOperation } from '../../../data/operator.js';
import { ConfirmDialog } from '../../../design/confirm-dialog.js';
import { useToast } from '../../../design/toast.js';
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
  operation,
  danger = false,
  refused = null,
  children,
  onDone,
  done,
  typed,
  ...dialog
}: OperationDialogProps<Name>) {
  const w = useWords(words);
  const toast = useToast();
  const change = useOperation<Name>();
  const run = () =>
    change.mutate(operation, {
      onSuccess(answer) {
        if (onDone) return onDone(answer);
        dialog.onOpenChange(false);
        toast.done(done ?? w.done);
      },
    });
  return (
    <ConfirmDialog
      {...dialog}
      {...(typed === undefined ? {} : { typed })}
      danger={danger}
      refused={refused}
      pending={change.isPending}
      error={change.error}
      fields={children}
      onConfirm={run}
    />
  );
}
