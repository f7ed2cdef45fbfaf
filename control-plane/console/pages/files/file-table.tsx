import type { WorkspaceFile } from '../../../../client/types.js';
import { useDownload } from '../../data/files.js';
import { Bytes, RelativeTime, Time } from '../../design/amounts.js';
import { Badge } from '../../design/badge.js';
import { Button } from '../../design/button.js';
import { Link } from '../../design/link.js';
import { Note, Row } from '../../design/page.js';
import { buttonColumn, type Column, Table } from '../../design/table.js';
import { useToast } from '../../design/toast.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export interface FileTableProps {
  readonly files: readonly WorkspaceFile[];
  onDelete(file: WorkspaceFile): void;
}

export function FileTable({ files, onDelete }: FileTableProps) {
  const w = useWords(words);
  const common = useWords(shared);
  const toast = useToast();
  const download = useDownload();
  const columns: Column<WorkspaceFile>[] = [
    { key: 'name', header: w.name, main: true, cell: (file) => <FileName file={file} /> },
    {
      key: 'kind',
      header: w.kind,
      narrow: true,
      cell: ({ kind, in_use }) => (
        <Row>
          <Badge>{w.kinds[kind]}</Badge>
          {in_use ? <Badge tone="info">{w.inUse}</Badge> : null}
        </Row>
      ),
    },
    {
      key: 'size',
      header: w.size,
      numeric: true,
      narrow: true,
      cell: ({ bytes }) => <Bytes value={bytes} />,
    },
    {
      key: 'expires',
      header: w.expires,
      narrow: true,
      cell: ({ expires_at }) => (expires_at === null ? w.never : <Time at={expires_at} />),
    },
    buttonColumn(w.actions, (file) => (
      <Row>
        {file.download_url === null ? null : (
          <Button
            small
            aria-label={w.downloadOf(file.name)}
            pending={download.isPending && download.variables === file.download_url}
            onClick={() => download.mutate(file.download_url ?? '', { onError: toast.failed })}
          >
            {w.download}
          </Button>
        )}
        <Button
          small
          aria-label={w.deleteOf(file.name)}
          refused={file.in_use ? w.inUseWhy : null}
          onClick={() => onDelete(file)}
        >
          {common.delete}
        </Button>
      </Row>
    )),
  ];
  return <Table label={w.files} columns={columns} rows={files} rowKey={({ id }) => id} />;
}

/** With the time of the upload, or the build that saved the artifact. */
function FileName({ file: { name, path, job_id: build, created_at: at } }: { file: WorkspaceFile }) {
  return (
    <div>
      {path ?? name}
      <Note>
        <RelativeTime at={at} />
        {build === null ? null : (
          <>
            {' · '}
            <Link to="/o/$org/builds/$build_id" params={{ build_id: build }}>
              <code>{build}</code>
            </Link>
          </>
        )}
      </Note>
    </div>
  );
}
