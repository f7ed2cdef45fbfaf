import { type ReactNode, useId, useRef } from 'react';
import { classNames } from './class-names.js';
import styles from './table.module.css';
import { useNarrow } from './use-narrow.js';

export interface Column<R> {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: R) => ReactNode;
  /** The first column with `main` names the row; on phones it is the title of the card. */
  readonly main?: boolean;
  /** Numbers are aligned to the right. */
  readonly numeric?: boolean;
  /** As narrow as its content, on one line. */
  readonly narrow?: boolean;
  /** The header is only for screen readers, e.g. above buttons. */
  readonly quiet?: boolean;
}

/** A column of buttons, whose header only screen readers say. */
export const buttonColumn = <R,>(header: string, cell: Column<R>['cell']): Column<R> => ({
  key: 'actions',
  header,
  quiet: true,
  narrow: true,
  cell,
});

export interface TableProps<R> {
  /** The name of the table. */
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  rowKey(row: R): string | number;
  /** True for a row that is highlighted. */
  selected?(row: R): boolean;
}

/** Where the columns do not fit, each row becomes a card: the headers are shown before the values. */
export function Table<R>({ label, columns, rows, rowKey, selected }: TableProps<R>) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow(box);
  return (
    <div className={styles.box} ref={box}>
      <table
        className={classNames(styles.table, isNarrow ? styles.cards : styles.wide)}
        data-form={isNarrow ? 'cards' : 'columns'}
      >
        <caption className="unseen" id={id}>
          {label}
        </caption>
        <thead>
          <tr>
            {columns.map(({ key, header, numeric, narrow, quiet }) => (
              <th key={key} scope="col" className={classNames(numeric && styles.numeric, narrow && styles.narrow)}>
                {quiet ? <span className="unseen">{header}</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} data-selected={selected?.(row) || undefined}>
              {columns.map(({ key, header, cell, main, numeric, narrow, quiet }) => {
                const look = classNames(numeric && styles.numeric, narrow && styles.narrow, main && styles.main);
                return main ? (
                  <th key={key} scope="row" className={look}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={key} className={look} data-header={quiet ? undefined : header}>
                    {cell(row)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
