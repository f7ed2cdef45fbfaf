// In place of a page: while it is loaded, when it fails, when there is none.
import type { ErrorComponentProps } from '@tanstack/react-router';
import Compass from 'lucide-react/icons/compass';
import { type ReactNode, use } from 'react';
import { Failure } from '../data/failure.js';
import { LinkButton } from '../design/button.js';
import { EmptyState } from '../design/empty-state.js';
import { FailureNote } from '../design/failure-note.js';
import { Page, PageScope } from '../design/page.js';
import { Skeleton } from '../design/skeleton.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { Frame } from './frame.js';

export const PagePending = () => <Skeleton lines={6} />;

/** True below one of the layouts, whose frame stays. */
const useInShell = () => use(PageScope) !== null;

export function PageMissing() {
  const w = useWords(shared);
  const inShell = useInShell();
  const content = <MissingPage title={w.notFoundTitle} text={w.notFound} action={<HomeButton />} />;
  return inShell ? content : <Frame>{content}</Frame>;
}

/** @param action where to go instead */
export function MissingPage({ title, text, action }: { title: string; text: string; action: ReactNode }) {
  return (
    <Page title={title}>
      <EmptyState icon={<Compass />} title={text} action={action} />
    </Page>
  );
}

export function HomeButton() {
  const w = useWords(shared);
  return (
    <LinkButton to="/" variant="primary">
      {w.home}
    </LinkButton>
  );
}

export function PageFailure({ error, reset }: ErrorComponentProps) {
  const w = useWords(shared);
  const inShell = useInShell();
  if (error instanceof Failure && error.status === 404) return <PageMissing />;
  const content = (
    <Page title={w.unexpected}>
      <FailureNote error={error} onRetry={reset} />
    </Page>
  );
  return inShell ? content : <Frame>{content}</Frame>;
}
