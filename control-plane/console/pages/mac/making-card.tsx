// A Mac that its host makes again, or cannot make: how far that is, and why.

import type { AgentMac } from '../../../../client/types.js';
import { macProblems } from '../../../../shared/messages/mac-problems.js';
import { say } from '../../../../shared/messages/message.js';
import { RelativeTime } from '../../design/amounts.js';
import { Card } from '../../design/card.js';
import { Note, Stack } from '../../design/page.js';
import { useLanguage } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { MakingProgress } from './making-progress.js';
import { words } from './words.js';

/** @param hasJob a job's card shows the progress already */
export function MakingCard({ mac: { progress, problem, state }, hasJob }: { mac: AgentMac; hasJob: boolean }) {
  const w = useWords(words);
  const language = useLanguage();
  if (problem === null && (progress === null || hasJob || state !== 'preparing')) return null;
  return (
    <Card title={problem === null ? w.kind.provision : w.cannotBeMade}>
      <Stack>
        {problem === null ? null : (
          <p role="status">
            {say(macProblems, language, problem)} <RelativeTime at={problem.since} />
          </p>
        )}
        {problem === null ? null : <Note>{w.madeLater}</Note>}
        {progress === null || hasJob ? null : <MakingProgress progress={progress} />}
      </Stack>
    </Card>
  );
}
