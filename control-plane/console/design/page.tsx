import { useLocation, useRouterState } from '@tanstack/react-router';
import { createContext, type ReactNode, use, useEffect, useRef } from 'react';
import { classNames } from './class-names.js';
import styles from './page.module.css';

/** The name of the organization or area, for the window's title. */
export const PageScope = createContext<string | null>(null);

/** True until the first navigation inside the application: the first page does not take the focus. */
let first = true;

/**
 * The content of a page below its heading. Sets the window's title, and moves the focus to the heading after a
 * navigation, so that screen readers announce the page.
 */
export function Page({
  title,
  tab = title,
  lead,
  crumbs,
  actions,
  around,
  narrow = false,
  children,
}: PageHeaderProps & {
  /** In place of the title in that of the window. */
  tab?: string;
  narrow?: boolean;
  children: ReactNode;
}) {
  const scope = use(PageScope);
  useEffect(() => {
    document.title = [tab, scope, 'Cidermill'].filter(Boolean).join(' · ');
  }, [tab, scope]);
  return (
    <div className={narrow ? styles.narrow : styles.page}>
      <PageHeader title={title} lead={lead} crumbs={crumbs} actions={actions} around={around} />
      {children}
    </div>
  );
}

export interface PageHeaderProps {
  readonly title: string;
  /** A sentence below, or facts. */
  readonly lead?: ReactNode;
  /** Links to the pages above. */
  readonly crumbs?: ReactNode;
  readonly actions?: ReactNode;
  /** Shows the heading together with what changes it. */
  readonly around?: ((heading: ReactNode) => ReactNode) | undefined;
}

export function PageHeader({ title, lead, crumbs, actions, around = (heading) => heading }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  const settled = useRouterState({ select: ({ status }) => status === 'idle' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each address
  useEffect(() => {
    if (!settled) return;
    if (!first) heading.current?.focus({ preventScroll: true });
    first = false;
  }, [pathname, settled]);
  return (
    <header className={styles.header}>
      <div className={styles.titles}>
        {crumbs ? <nav className={styles.crumbs}>{crumbs}</nav> : null}
        {around(
          <h1 ref={heading} tabIndex={-1} dir="auto">
            {title}
          </h1>,
        )}
        {lead ? <div className={styles.lead}>{lead}</div> : null}
      </div>
      {actions ? <div className={styles.actions}>{actions}</div> : null}
    </header>
  );
}

/** Cards in as many columns as fit. @param props.even those beside each other end at the same height */
export const Columns = ({ even = false, children }: { even?: boolean; children: ReactNode }) => (
  <div className={classNames(styles.columns, even && styles.even)}>{children}</div>
);

/** Elements below each other, e.g. the fields of a form. */
export const Stack = ({ children }: { children: ReactNode }) => <div className={styles.stack}>{children}</div>;

/** Elements beside each other, e.g. the buttons of a form. */
export const Row = ({ children }: { children: ReactNode }) => <div className={styles.row}>{children}</div>;

/** A sentence of lower weight. */
export const Note = ({ children }: { children: ReactNode }) => <p className={styles.note}>{children}</p>;
