// The menus of organization and workspace in the top bar.
import { useNavigate } from '@tanstack/react-router';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import type { ComponentProps } from 'react';
import { useOrganizationHere, useSession } from '../data/session.js';
import { useGo } from '../design/link.js';
import { Menu, MenuChoice } from '../design/menu.js';
import { useWords } from '../words/use-words.js';
import styles from './switchers.module.css';
import { words } from './words.js';

/** Stands for the area of operators among the slugs of organizations, which have no slash. */
export const OPERATORS = '/operator';
const ALL = '';

function Opener({ label, text, ...rest }: { label: string; text: string } & ComponentProps<'button'>) {
  return (
    <button type="button" {...rest} className={styles.opener}>
      <span className="unseen">{label}: </span>
      <span className={styles.text}>{text}</span>
      <ChevronsUpDown aria-hidden />
    </button>
  );
}

export interface Choice {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  choose(value: string): void;
}

/** The organizations of the person, and the area of operators for those who are one. */
export function useOrganizationChoice(): Choice {
  const w = useWords(words);
  const { organizations, user } = useSession();
  const go = useGo();
  return {
    options: [
      ...organizations.map(({ slug, name }) => ({ value: slug, label: name })),
      ...(user.operator ? [{ value: OPERATORS, label: w.operators }] : []),
    ],
    choose: (value) => (value === OPERATORS ? go({ to: '/operator' }) : go({ to: '/o/$org', params: { org: value } })),
  };
}

/** The workspaces of the organization; no options where there is one only, or no organization. */
export function useWorkspaceChoice(): Choice & { readonly value: string } {
  const w = useWords(words);
  const { workspaces = [], workspace = null } = useOrganizationHere() ?? {};
  const navigate = useNavigate();
  return {
    value: workspace ?? ALL,
    options:
      workspaces.length < 2
        ? []
        : [{ value: ALL, label: w.allWorkspaces }, ...workspaces.map(({ id, name }) => ({ value: id, label: name }))],
    choose: (value) =>
      void navigate({
        to: '.',
        search: ((search: Record<string, unknown>) => ({ ...search, workspace: value || undefined })) as never,
      }),
  };
}

/** @param current slug; null on the pages of operators and of the person */
export function OrganizationSwitcher({ current, text }: { current: string | null; text: string }) {
  const w = useWords(words);
  const { options, choose } = useOrganizationChoice();
  return (
    <Menu align="start" trigger={<Opener label={w.organization} text={text} />}>
      <MenuChoice label={w.organization} value={current ?? OPERATORS} options={options} onChange={choose} />
    </Menu>
  );
}

/** Only where the organization has several workspaces. */
export function WorkspaceSwitcher() {
  const w = useWords(words);
  const { options, value, choose } = useWorkspaceChoice();
  if (options.length === 0) return null;
  const shown = options.find((option) => option.value === value);
  return (
    <>
      <span className={styles.slash} aria-hidden="true">
        /
      </span>
      <Menu align="start" trigger={<Opener label={w.workspace} text={shown?.label ?? ''} />}>
        <MenuChoice label={w.workspace} value={value} options={options} onChange={choose} />
      </Menu>
    </>
  );
}
