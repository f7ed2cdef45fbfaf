import type { AuditEntry } from '../../../../client/types.js';
import { Time } from '../../design/amounts.js';
import { Badge } from '../../design/badge.js';
import { Button } from '../../design/button.js';
import { Note, Row } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { AuditTarget } from '../../macs/audit-target.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import styles from './audit.module.css';
import { words } from './words.js';

export interface AuditTableProps {
  readonly entries: readonly AuditEntry[];
  /** Shows only what somebody did. */
  onActor(actor: string): void;
}

export function AuditTable({ entries, onActor }: AuditTableProps) {
  const w = useWords(words);
  const format = useFormat();
  const columns: Column<AuditEntry>[] = [
    { key: 'at', header: w.at, narrow: true, cell: ({ at }) => <Time at={at} exact /> },
    { key: 'action', header: w.action, main: true, cell: ({ action }) => <code>{action}</code> },
    {
      key: 'actor',
      header: w.actor,
      cell: ({ actor: { kind, id, name }, ip }) => {
        const more = [kind === 'api_key' ? w.kinds.api_key : null, ip].filter(Boolean).join(' · ');
        const shown = name ?? id ?? w.kinds[kind];
        return (
          <div className={styles.who}>
            <Button variant="link" className={styles.actor} onClick={() => onActor(id ?? kind)}>
              <span className="unseen">{w.onlyBy} </span>
              {shown}
            </Button>
            {more === '' ? null : <Note>{more}</Note>}
          </div>
        );
      },
    },
    {
      key: 'target',
      header: w.target,
      cell: (entry) => <AuditTarget {...entry} />,
    },
    {
      key: 'result',
      header: w.result,
      cell: ({ result, count }) => (
        <Row>
          {result === 'ok' ? <Badge tone="good">{w.ok}</Badge> : <Badge tone="bad">{result}</Badge>}
          {count > 1 ? <span>× {format.number(count)}</span> : null}
        </Row>
      ),
    },
  ];
  return <Table label={w.title} columns={columns} rows={entries} rowKey={(entry) => entries.indexOf(entry)} />;
}
