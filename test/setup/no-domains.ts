// Loaded before the test files of a process. tap follows every promise of the process to tell in which subtest an error was thrown
// that nobody catches; that takes a third of the processor time of a test which runs the service. Without it the file
// fails with such an error and its place, beside its subtests.
import asyncHooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const noHook: asyncHooks.AsyncHook = { enable: () => noHook, disable: () => noHook };
asyncHooks.createHook = () => noHook;
syncBuiltinESMExports();
