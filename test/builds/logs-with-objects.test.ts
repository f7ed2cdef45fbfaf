// The tests of logs and artifacts over HTTP once more, where logs are rows and objects in place of files.
// Runs in: soak
import t from 'tap';

process.env.TEST_OBJECTS = '1';
t.teardown(() => {
  delete process.env.TEST_OBJECTS;
});

// Each adds its tests to this file's.
await import('./build-log.test.js');
await import('./log-lines.test.js');
await import('./log-quota.test.js');
await import('./log-times.test.js');
await import('./log-service-lines.test.js');
await import('./artifact-quota.test.js');
