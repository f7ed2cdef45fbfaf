// Spans of time in a sentence.
import t from 'tap';
import { spanText } from '../../shared/span-text.js';

const MINUTE = 60_000;
const spans = [-5, 0, 59_999, MINUTE, 60 * MINUTE, 47 * 60 * MINUTE, 48 * 60 * MINUTE];

t.test('a span of time has its largest unit', async (t) => {
  t.same(
    spans.map((span) => spanText(span)),
    ['0s', '0s', '59s', '1m', '1h', '47h', '2d'],
  );
  t.same(
    spans.map((span) => spanText(span, 'ko')),
    ['0초', '0초', '59초', '1분', '1시간', '47시간', '2일'],
  );
});
