// The step that a host is at while it makes or changes a Mac; while it fetches the image, with bytes.
import type { MacProgress } from '../../../../client/types.js';
import { Progress } from '../../design/progress.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function MakingProgress({ progress: { step, percent, image } }: { progress: MacProgress }) {
  const w = useWords(words);
  const format = useFormat();
  // Agents may add steps.
  const steps: Readonly<Record<string, string>> = w.step;
  const label = steps[step] ?? step;
  if (image === null) {
    return <Progress label={label} value={percent / 100} text={format.percent(percent / 100)} />;
  }
  const share = format.percent(image.percent / 100);
  const isKnown = image.bytes !== null && image.total_bytes !== null;
  const text = isKnown ? w.fetched(format.bytes(image.bytes ?? 0), format.bytes(image.total_bytes ?? 0), share) : share;
  return <Progress label={label} value={image.percent / 100} text={text} />;
}
