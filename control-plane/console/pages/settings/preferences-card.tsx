import { Time } from '../../design/amounts.js';
import { Card } from '../../design/card.js';
import { Switch } from '../../design/choices.js';
import { Facts } from '../../design/facts.js';
import { Columns, Note, Stack } from '../../design/page.js';
import { Select } from '../../design/select.js';
import { modText } from '../../keys/platform.js';
import { themes, useChoices } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function PreferencesCard() {
  const w = useWords(words);
  const { theme, setTheme, singleKeys, setSingleKeys } = useChoices();
  const now = useNow(60_000);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Card title={w.preferences}>
      <Stack>
        <Columns>
          <Select
            label={w.theme}
            value={theme}
            onChange={setTheme}
            options={themes.map((value) => ({ value, label: w.themes[value] }))}
          />
        </Columns>
        <div>
          <Switch label={w.singleKeys} checked={singleKeys} onChange={setSingleKeys} />
          <Note>{w.singleKeysNote(`${modText} K`)}</Note>
        </div>
        <Facts
          facts={[
            {
              label: w.zone,
              value: (
                <>
                  {zone}, <Time at={now} />
                </>
              ),
            },
          ]}
        />
      </Stack>
    </Card>
  );
}
