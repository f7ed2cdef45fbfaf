import type { Job } from '../../../../client/types.js';
import { RelativeTime } from '../../design/amounts.js';
import { Badge, type Tone } from '../../design/badge.js';
import { Card } from '../../design/card.js';
import { Facts } from '../../design/facts.js';
import { Note, Stack } from '../../design/page.js';
import { Progress } from '../../design/progress.js';
import { useLanguage } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { jobFailureText } from './job-failure.js';
import { MakingProgress } from './making-progress.js';
import { words } from './words.js';

const tones: Readonly<Record<Job['status'], Tone>> = {
  queued: 'neutral',
  running: 'info',
  done: 'good',
  failed: 'bad',
};

/** How long a job that has ended well stays on the page. */
const SHOWN_MS = 10 * 60_000;

/** The job under way, or the one that ended a moment ago or failed. */
export function JobCard({ job }: { job: Job }) {
  const w = useWords(words);
  const language = useLanguage();
  const now = useNow(60_000);
  const isOpen = job.status === 'queued' || job.status === 'running';
  const isOld = job.ended_at !== null && now - Date.parse(job.ended_at) > SHOWN_MS;
  // That the Mac was prepared is in its timeline.
  if (job.status === 'done' && (isOld || job.kind === 'provision')) return null;
  const { progress } = job;
  const failure = jobFailureText(job, language);
  return (
    <Card
      title={`${isOpen ? w.job : w.lastJob}: ${w.kind[job.kind]}`}
      actions={<Badge tone={tones[job.status]}>{w.jobStatus[job.status]}</Badge>}
    >
      <Stack>
        {job.status === 'running' ? (
          progress ? (
            <MakingProgress progress={progress} />
          ) : (
            <Progress label={w.jobStatus.running} value={null} />
          )
        ) : (
          <Facts
            facts={[
              failure && { label: w.message, value: failure.text },
              failure !== null && failure.quote !== null ? { label: w.hostMessage, value: failure.quote } : null,
              job.started_at === null ? null : { label: w.jobBegan, value: <RelativeTime at={job.started_at} /> },
              job.ended_at === null ? null : { label: w.jobEnded, value: <RelativeTime at={job.ended_at} /> },
            ]}
          />
        )}
        {job.status === 'failed' ? <Note>{w.jobFailedNext}</Note> : null}
      </Stack>
    </Card>
  );
}
