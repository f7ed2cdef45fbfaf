import { useInfiniteQuery } from '@tanstack/react-query';
import FileArchive from 'lucide-react/icons/file-archive';
import { useState } from 'react';
import type { FileKind, WorkspaceFile } from '../../../../client/types.js';
import { type FileFilter, filesQuery, useDeleteFile } from '../../data/files.js';
import { type RawSearch, useSearchParameters } from '../../data/search.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Code } from '../../design/code.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { EmptyState } from '../../design/empty-state.js';
import { LoadMore } from '../../design/load-more.js';
import { Note } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { Select } from '../../design/select.js';
import { useToast } from '../../design/toast.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { FileTable } from './file-table.js';
import { words } from './words.js';

export const kinds: readonly FileKind[] = ['upload', 'artifact'];

const parseSearch = ({ kind, build }: RawSearch): FileFilter => ({
  kind: kinds.find((each) => each === kind) ?? null,
  build: build ?? null,
});

export function Files({ orgId, workspace }: { orgId: string; workspace: string }) {
  const w = useWords(words);
  const format = useFormat();
  const [filter, setSearch] = useSearchParameters(parseSearch);
  const query = useInfiniteQuery(filesQuery(orgId, workspace, filter));
  const [deleting, setDeleting] = useState<WorkspaceFile | null>(null);
  const files = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const total = query.data?.pages[0]?.total_bytes;
  const choose =
    filter.build === null ? (
      <Select
        inline
        label={w.kind}
        value={filter.kind ?? 'all'}
        options={[
          { value: 'all', label: w.anyKind },
          { value: 'upload', label: w.onlyUploads },
          { value: 'artifact', label: w.onlyArtifacts },
        ]}
        onChange={(kind) => setSearch({ kind: kind === 'all' ? undefined : kind })}
      />
    ) : (
      <Button onClick={() => setSearch({ build: undefined })}>{w.allFiles}</Button>
    );
  const actions = (
    <>
      {total === undefined ? null : <Note>{w.total(format.bytes(total))}</Note>}
      {choose}
    </>
  );
  return (
    <Card title={filter.build === null ? w.files : w.ofBuild(filter.build)} actions={actions} flush>
      <QueryState query={query} lines={6} />
      {files.length > 0 ? (
        <>
          <FileTable files={files} onDelete={setDeleting} />
          <LoadMore shown={files.length} query={query} />
        </>
      ) : null}
      {query.data && files.length === 0 ? (
        <EmptyState icon={<FileArchive />} title={filter.build === null ? w.emptyTitle : w.emptyBuild}>
          {filter.build === null ? (
            <>
              <p>{w.emptyText}</p>
              <Code label={w.command}>{`cidermill build --script 'make && cp app.zip "$CIDERMILL_ARTIFACTS"'`}</Code>
            </>
          ) : null}
        </EmptyState>
      ) : null}
      {deleting ? <DeleteFileDialog orgId={orgId} file={deleting} onClose={() => setDeleting(null)} /> : null}
    </Card>
  );
}

interface DeleteFileDialogProps {
  readonly orgId: string;
  readonly file: WorkspaceFile;
  onClose(): void;
}

function DeleteFileDialog({ orgId, file, onClose }: DeleteFileDialogProps) {
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
