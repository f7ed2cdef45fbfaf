import type { When } from '../../../../client/types.js';
import { RadioGroup } from '../../design/choices.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

/** What to do with the build that runs on the Mac. */
export function WhenChoice({ value, onChange }: { value: When; onChange(value: When): void }) {
  const w = useWords(words);
  return (
    <RadioGroup
      name="when"
      label={w.when}
      value={value}
      options={[
        { value: 'after_build', label: w.whenAfter },
        { value: 'now', label: w.whenNow },
      ]}
      onChange={onChange}
    />
  );
}
