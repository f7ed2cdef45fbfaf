import { Time } from '../../design/amounts.js';
import { Card } from '../../design/card.js';
import { Facts } from '../../design/facts.js';
import { Columns, Stack } from '../../design/page.js';
import { Select } from '../../design/select.js';
import { themes, useChoices } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function PreferencesCard() {
  const w = useWords(words);
  const { theme, setTheme } = useChoices();
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
