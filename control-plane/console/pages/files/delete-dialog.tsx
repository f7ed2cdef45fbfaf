import type { WorkspaceFile } from '../../../../client/types.js';
import { useDeleteFile } from '../../data/files.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { useToast } from '../../design/toast.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export interface DeleteFileDialogProps {
  readonly orgId: string;
  readonly file: WorkspaceFile;
  onClose(): void;
}

export function DeleteFileDialog({ orgId, file, onClose }: DeleteFileDialogProps) {
  const w = useWords(words);
  const common = useWords(shared);
  const format = useFormat();
  const toast = useToast();
  const remove = useDeleteFile(orgId);
  const confirm = () =>
    remove.mutate(file.id, {
      onSuccess: () => {
        toast.done(w.deleted(file.name));
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={w.deleteTitle(file.name)}
      open
      onOpenChange={(open) => open || onClose()}
      loses={[w.loses(file.path ?? file.name, format.bytes(file.bytes))]}
      action={common.delete}
      pending={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
    >
      {file.kind === 'upload' ? w.deleteUpload : w.deleteArtifact}
    </ConfirmDialog>
  );
}
