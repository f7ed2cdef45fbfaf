import type { ReactNode } from 'react';
import { CopyButton } from '../design/copy-button.js';
import { Link } from '../design/link.js';
import { useWords } from '../words/use-words.js';
import styles from './macs.module.css';
import { words } from './words.js';

/** The name of a Mac, isolated from the direction of the text around it. */
export const MacName = ({ children }: { children: string }) => <bdi className={styles.text}>{children}</bdi>;

/** The name of a Mac as a link to its page. `org`: the slug, outside of its pages. */
export function MacLink({ id, name, org }: { id: string; name: string; org?: string }) {
  return (
    <Link to="/o/$org/macs/$rental_id" params={{ rental_id: id, ...(org === undefined ? {} : { org }) }}>
      <MacName>{name}</MacName>
    </Link>
  );
}

/** The id of a Mac, small and to be copied: requests take it alone. */
export function MacId({ id }: { id: string }): ReactNode {
  const w = useWords(words);
  return (
    <span className={styles.id}>
      <code>{id}</code>
      <CopyButton text={id} label={w.copyId} />
    </span>
  );
}

/** Both, where there is no link to the Mac: on pages of operators. */
export const NameAndId = ({ id, name }: { id: string; name: string }) => (
  <span className={styles.both}>
    <MacName>{name}</MacName> <MacId id={id} />
  </span>
);
