import t from 'tap';
import {
  type BuildActual,
  type BuildDesire,
  buildActions,
  buildDesireOf,
  type MacActual,
  type MacDesire,
  macActions,
  macActualOf,
} from '../../../host-agent/daemon/reconcile-actions.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { plainSpec } from '../../harness/recording-builds.js';

const buildDesires: BuildDesire[] = ['unsaid', 'start', 'keep', 'stop', 'undesired'];
const buildActuals: BuildActual[] = ['absent', 'starting', 'running', 'finished'];
const macDesires: MacDesire[] = ['unsaid', 'wanted', 'unwanted'];
const macActuals: MacActual[] = ['empty', 'unfinished', 'other', 'stopped', 'same'];

t.test('every pair of desired and actual state has an action, for builds and for Macs', async (t) => {
  for (const desire of buildDesires) {
    for (const actual of buildActuals) t.type(buildActions[desire][actual], 'string', `${desire} ${actual}`);
  }
  for (const desire of macDesires) {
    for (const actual of macActuals) t.type(macActions[desire][actual], 'string', `${desire} ${actual}`);
  }
  t.same(Object.keys(buildActions), buildDesires, 'and nothing else');
  t.same(Object.keys(macActions), macDesires);
});

t.test('invariants of the tables', async (t) => {
  for (const desire of buildDesires) {
    t.equal(buildActions[desire].finished, 'deliver', `an end is always delivered (${desire})`);
    for (const actual of buildActuals) {
      const action = buildActions[desire][actual];
      if (action === 'start') t.same([desire, actual], ['start', 'absent'], 'nothing is started twice');
      if (action === 'supersede') t.equal(desire, 'undesired');
      if (desire === 'unsaid' && actual !== 'finished') {
        t.equal(action, 'nothing', 'before the control plane has spoken nothing is touched');
      }
    }
  }
  for (const actual of macActuals) {
    t.equal(macActions.unsaid[actual], 'nothing', 'before the control plane has spoken no Mac is touched');
    t.not(macActions.wanted[actual], 'remove');
    t.not(macActions.unwanted[actual], 'ensure');
  }
});

t.test('desired state of a build', async (t) => {
  const ref = { build_id: 'rb_1', attempt: 1, stop_reason: null };
  const none = { spec: null, secrets: null };
  t.equal(buildDesireOf(undefined, false), 'unsaid');
  t.equal(buildDesireOf(undefined, true), 'undesired');
  t.equal(buildDesireOf({ ...ref, ...none, want: 'stop' }, true), 'stop');
  t.equal(buildDesireOf({ ...ref, ...none, want: 'stop' }, false), 'stop', 'a journaled stop still holds');
  t.equal(buildDesireOf({ ...ref, ...none, want: 'run' }, true), 'keep');
  t.equal(buildDesireOf({ ...ref, spec: plainSpec, secrets: [], want: 'run' }, true), 'start');
  t.equal(buildDesireOf({ ...ref, spec: plainSpec, secrets: null, want: 'run' }, true), 'keep');
});

t.test('actual state of a slot', async (t) => {
  const mac = desiredMac({ generation: 2, revision: 3, xcode: '16.0' });
  const { rental_id, account_id, generation, revision } = mac;
  const record = { rental_id, account_id, generation, revision, xcode: '16.0', runtimes: [], tools: [] };
  t.equal(macActualOf(record, mac), 'same');
  t.equal(macActualOf('none', mac), 'empty');
  t.equal(macActualOf('broken', mac), 'unfinished');
  for (const change of [{ rental_id: 'rt_2' }, { generation: 1 }, { revision: 2 }, { revision: 4 }]) {
    t.equal(macActualOf({ ...record, ...change }, mac), 'other');
  }
  t.equal(macActualOf(record, undefined), 'other');
  t.equal(macActualOf(record, mac, true), 'stopped');
  t.equal(macActualOf({ ...record, revision: 2 }, mac, true), 'other');
  t.equal(macActualOf('broken', mac, true), 'unfinished');
});
