// Why a build is where it is, in a few words.
import type { ListedBuild } from '../../../client/types.js';
import { useFormat, useLanguage } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import { failureSummary } from './failure-summary.js';
import { textOf, words } from './words.js';

/** Returns a function that says why a build waits, has failed or has ended otherwise; empty for other builds. */
export function useBuildReason(): (build: ListedBuild) => string {
  const w = useWords(words);
  const format = useFormat();
  const language = useLanguage();
  return (build) => {
    const { failure, end_reason: end, status, queue_position: position, estimated_wait_s: wait } = build;
    if (status === 'queued') {
      const starts =
        wait === null ? build.wait_reason && textOf(w.wait, build.wait_reason) : w.startsIn(format.about(wait * 1_000));
      return [position === null ? null : w.position(position), starts].filter(Boolean).join(', ');
    }
    const summary = failure && failureSummary(failure, language);
    const said = failure?.fault === 'platform' ? summary?.text : (summary?.quote ?? summary?.text);
    if (said) return said;
    return end !== null && end !== 'cancelled_by_user' && Object.hasOwn(w.end, end) ? textOf(w.end, end) : '';
  };
}
