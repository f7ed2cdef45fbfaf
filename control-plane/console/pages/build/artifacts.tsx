import { useInfiniteQuery } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import FileArchive from 'lucide-react/icons/file-archive';
import type { Build, WorkspaceFile } from '../../../../client/types.js';
import type { BuildSource } from '../../data/build-source.js';
import { artifactsQuery } from '../../data/builds.js';
import { download } from '../../data/files.js';
import { useMutation } from '../../data/mutation.js';
import { Bytes, RelativeTime } from '../../design/amounts.js';
import { Button } from '../../design/button.js';
import { Code } from '../../design/code.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { LoadMore } from '../../design/load-more.js';
import { Skeleton } from '../../design/skeleton.js';
import { type Column, Table } from '../../design/table.js';
import { useToast } from '../../design/toast.js';
import { useWords } from '../../words/use-words.js';
import styles from './page.module.css';
import { words } from './words.js';

const EXAMPLE = 'cp build/App.ipa "$CIDERMILL_ARTIFACTS/"';

export function Artifacts({ source, build }: { source: BuildSource; build: Build }) {
  const w = useWords(words);
  const toast = useToast();
  const query = useInfiniteQuery(artifactsQuery(source, build.id));
  const save = useMutation({
    mutationFn: ({ download_url }: WorkspaceFile) => download(download_url ?? ''),
    onError: toast.failed,
  });
  const files = query.data?.pages.flatMap(({ data }) => data) ?? [];
  if (query.isPending) return <Skeleton lines={3} />;
  if (query.isError && files.length === 0) {
    return <FailureNote error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (files.length === 0) {
    return (
      <EmptyState icon={<FileArchive />} title={w.noArtifacts}>
        <p>{w.noArtifactsText}</p>
        <div className={styles.command}>
          <Code label={w.artifactsCommand}>{EXAMPLE}</Code>
        </div>
      </EmptyState>
    );
  }
  const columns: readonly Column<WorkspaceFile>[] = [
    { key: 'name', header: w.name, main: true, cell: ({ path, name }) => <code>{path ?? name}</code> },
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
      cell: ({ expires_at: at }) => (at === null ? null : <RelativeTime at={at} />),
    },
    {
      key: 'download',
      header: w.download,
      quiet: true,
      narrow: true,
      cell: (file) => (
        <Button
          small
          icon={<Download aria-hidden />}
          aria-label={w.downloadName(file.path ?? file.name)}
          pending={save.isPending && save.variables.id === file.id}
          onClick={() => save.mutate(file)}
        >
          {w.download}
        </Button>
      ),
    },
  ];
  return (
    <>
      <Table label={w.artifacts} columns={columns} rows={files} rowKey={({ id }) => id} />
      <LoadMore shown={files.length} query={query} />
      {source.token === null ? (
        <div className={styles.saveAll}>
          <span>{w.saveAll}</span>
          <Code label={w.saveAllCommand}>{`cidermill artifacts ${build.id} --output artifacts`}</Code>
        </div>
      ) : null}
    </>
  );
}
