import type { ListedSecret } from '../../../../client/types.js';
import { RelativeTime } from '../../design/amounts.js';
import { Badge } from '../../design/badge.js';
import { Button } from '../../design/button.js';
import { Row } from '../../design/page.js';
import { buttonColumn, type Column, Table } from '../../design/table.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export interface SecretTableProps {
  readonly secrets: readonly ListedSecret[];
  readonly may: boolean;
  onReplace(name: string): void;
  onDelete(name: string): void;
}

export function SecretTable({ secrets, may, onReplace, onDelete }: SecretTableProps) {
  const w = useWords(words);
  const common = useWords(shared);
  const columns: Column<ListedSecret>[] = [
    { key: 'name', header: w.name, main: true, cell: ({ name }) => <code>{name}</code> },
    { key: 'kind', header: w.kind, cell: ({ kind }) => (kind === null ? null : w.kinds[kind]) },
    { key: 'masking', header: w.masking, cell: (secret) => <Masking secret={secret} /> },
    { key: 'changed', header: w.changed, cell: ({ updated_at }) => <RelativeTime at={updated_at} /> },
    { key: 'created', header: w.created, cell: ({ created_at }) => <RelativeTime at={created_at} /> },
    buttonColumn(w.actions, ({ name }) => (
      <Row>
        <Button small refused={may ? null : w.needs} aria-label={w.replaceOf(name)} onClick={() => onReplace(name)}>
          {w.replace}
        </Button>
        <Button small refused={may ? null : w.needs} aria-label={w.deleteOf(name)} onClick={() => onDelete(name)}>
          {common.delete}
        </Button>
      </Row>
    )),
  ];
  return <Table label={w.title} columns={columns} rows={secrets} rowKey={({ name }) => name} />;
}

function Masking({ secret: { readable, masked } }: { secret: ListedSecret }) {
  const w = useWords(words);
  if (!readable) return <Badge tone="bad">{w.unreadable}</Badge>;
  return masked ? (
    <Badge tone="good">{w.masked}</Badge>
  ) : (
    <span title={w.notMaskedWhy}>
      <Badge tone="warn">{w.notMasked}</Badge>
    </span>
  );
}
