// How often a build process reports its state.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import t from 'tap';
import { type BuildState, createReporter } from '../../../host-agent/runner/reporter.js';
import { createAdvancingClock } from '../../../shared/clock.js';
import { tempFolder } from './rig.js';

t.test('output that does not reach the log is reported at the interval, and the last of it, too', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const reporter = createReporter(clock);
  const file = path.join(tempFolder(t), 'control');
  const server = createServer((socket) => {
    reporter.listen(socket, { message: () => undefined });
  }).listen(file);
  await once(server, 'listening');
  const daemon = connect(file);
  t.teardown(() => {
    daemon.destroy();
    server.close();
  });
  await once(server, 'connection');
  let bytes = 0;
  let made = 0;
  const state = (): BuildState => {
    made += 1;
    return {
      type: 'state',
      build_id: 'rb_1',
      attempt: 1,
      step: 'script',
      log_bytes: bytes,
      last_output_at: clock.now(),
    };
  };
  reporter.begin(state, 5_000);
  const received: number[] = [];
  let text = '';
  daemon.on('data', (data) => {
    text += String(data);
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      received.push(JSON.parse(text.slice(0, end)).last_output_at);
      text = text.slice(end + 1);
    }
  });
  const seen = async (times: number[]) => {
    while (received.length < times.length) await once(daemon, 'data');
    t.same(received, times);
  };
  await seen([0]);
  await clock.advance(1_000);
  bytes = 10;
  reporter.active();
  await seen([0, 1_000]);
  // Beyond the window of the log: often, then never again.
  for (let n = 0; n < 8; n++) {
    await clock.advance(1_000);
    reporter.active();
  }
  await seen([0, 1_000, 6_000]);
  await clock.advance(60_000);
  await seen([0, 1_000, 6_000, 11_000]);
  t.ok(made > 4);
});
