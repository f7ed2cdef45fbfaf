// A fleet: scripted hosts over real WebSockets, builds at a rate, parked long polls, followers of logs and webhooks; on the embedded
// database, or with several processes on PostgreSQL. See docs/scale.md.
import { parse } from './fleet/options.js';
import { figuresOf, save } from './fleet/results.js';
import { runFleet } from './fleet/run.js';
import { print } from './report.js';

const options = parse(process.argv.slice(2));
const result = await runFleet(options);
if (options.save !== null) save(options.save, result);
const place = options.postgres === 0 ? 'embedded' : `PostgreSQL, ${options.postgres} processes`;
print(`fleet of ${options.hosts} hosts, ${place}`, figuresOf(result));
