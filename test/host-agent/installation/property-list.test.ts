// The property list of the agent's job: its keys, its text, and the copy in launchd/.
// Requires: plistutil, python3
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { type JobSettings, jobPlist } from '../../../host-agent/installation/job.js';
import { installPaths } from '../../../host-agent/installation/paths.js';
import { parsePlist } from '../../../host-agent/system/plist.js';

const { current, data } = installPaths();
const usual: JobSettings = {
  session: 'daemon',
  program: [`${current}/bin/cidermill`],
  user: '_cidermill',
  home: `${data}/home`,
  data,
};

type Kind = 'string' | 'integer' | 'boolean' | 'strings' | 'limits' | 'environment';

/** Keys of launchd.plist(5) that the agent may use, with what launchd accepts for them. */
const launchdKeys: Readonly<Record<string, Kind>> = {
  Label: 'string',
  UserName: 'string',
  GroupName: 'string',
  ProgramArguments: 'strings',
  EnvironmentVariables: 'environment',
  WorkingDirectory: 'string',
  Umask: 'integer',
  RunAtLoad: 'boolean',
  KeepAlive: 'boolean',
  ThrottleInterval: 'integer',
  ExitTimeOut: 'integer',
  AbandonProcessGroup: 'boolean',
  ProcessType: 'string',
  SessionCreate: 'boolean',
  LimitLoadToSessionType: 'string',
  SoftResourceLimits: 'limits',
  HardResourceLimits: 'limits',
  StandardOutPath: 'string',
  StandardErrorPath: 'string',
};
/** Ignored by launchd for agents of a user's session, so they would be misleading there. */
const ONLY_DAEMONS = ['UserName', 'GroupName', 'SessionCreate'];

const read = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';

/** Returns what Python reads of a property list. */
const jobOf = (input: string): Record<string, unknown> =>
  JSON.parse(execFileSync('python3', ['-c', read], { input, encoding: 'utf8' }));

function kindOf(value: unknown): Kind {
  if (Array.isArray(value)) return 'strings';
  if (typeof value === 'number') return 'integer';
  if (typeof value === 'object' && value !== null)
    return Object.values(value).every((one) => typeof one === 'number') ? 'limits' : 'environment';
  return typeof value as 'string' | 'boolean';
}

t.test('every key is one of launchd, with a value of its type', async (t) => {
  for (const session of ['daemon', 'login'] as const) {
    const xml = jobPlist({ ...usual, session, user: 'build' });
    const job = jobOf(xml);
    for (const [key, value] of Object.entries(job)) t.equal(kindOf(value), launchdKeys[key], `${session}: ${key}`);
    const keys = [...xml.matchAll(/^ {2}<key>(.*)<\/key>$/gm)].map(([, key = '']) => key);
    t.same(keys, Object.keys(job), 'each key stands once');
    t.equal(
      keys.some((key) => ONLY_DAEMONS.includes(key)),
      session === 'daemon',
    );
    t.equal(keys.includes('LimitLoadToSessionType'), session === 'login');
  }
});

t.test('the file in launchd/ is what install writes by default', async (t) => {
  const file = new URL('../../../../launchd/cidermill.host-agent.plist', import.meta.url);
  t.equal(readFileSync(file, 'utf8'), jobPlist(usual));
  const job = jobOf(jobPlist(usual));
  t.match(job, {
    Label: 'cidermill.host-agent',
    AbandonProcessGroup: true,
    KeepAlive: true,
    RunAtLoad: true,
    SessionCreate: true,
    ThrottleInterval: 10,
    ExitTimeOut: 30,
    Umask: 0o077,
    ProcessType: 'Interactive',
    SoftResourceLimits: { Core: 0, NumberOfFiles: 65_536 },
    HardResourceLimits: { Core: 0, NumberOfFiles: 65_536 },
    UserName: '_cidermill',
    EnvironmentVariables: { HOME: `${data}/home`, PATH: /^\/opt\/homebrew\/bin:/ },
  });
  for (const key of ['StandardOutPath', 'StandardErrorPath', 'WorkingDirectory']) t.match(String(job[key]), /^\//);
  t.notMatch(JSON.stringify(job), /cme_|cmh_|token/i, 'no secret in a file that everybody can read');
});

t.test('any path survives, and what no property list can hold is refused', async (t) => {
  const odd = `/Volumes/R&D <"it's" a --> disk>/ä 日本`;
  const xml = jobPlist({ ...usual, data: odd });
  t.equal(parsePlist(xml).WorkingDirectory, odd);
  t.throws(() => jobPlist({ ...usual, data: '/a\u0001b' }), RangeError);
  t.throws(() => jobPlist({ ...usual, home: '\ud800' }), RangeError);
  // Another reader of Apple's format takes it, and finds the same.
  const binary = execFileSync('plistutil', ['-i', '-', '-f', 'bin'], { input: xml });
  t.equal(binary.subarray(0, 8).toString(), 'bplist00');
  const back = execFileSync('plistutil', ['-i', '-', '-f', 'xml'], {
    input: binary,
    encoding: 'utf8',
  });
  t.equal(parsePlist(back).WorkingDirectory, odd);
});
