// The invariants of ARCHITECTURE.md with several processes: which test of `side-by-side.test.ts` checks each, or what does instead.

/** By invariant: titles of tests. */
export const checkedHere: Readonly<Record<string, readonly string[]>> = {
  'the database is the truth, memory is a cache': [
    'one request with one Idempotency-Key has an effect, and all get its answer',
    'the calendars agree, the programs are well, and no request failed in one of them',
  ],
  'a transition is one guarded UPDATE': [
    'a build that ends while all cancel it ends once',
    'no build runs on a Mac while it is reset',
    'what may be cancelled is cancelled once',
  ],
  'workers take no input': ['every build runs once, one at a time on each Mac, in the order of the queue'],
  'wake-ups are hints': ['every build runs once, one at a time on each Mac, in the order of the queue'],
  'processes on one database decide as one would': [
    'as many builds wait, webhooks and secrets are kept, as may be',
    'an account stores no more files than it may',
    'an account has no more records than it may',
    'no slot is held twice, and no more orders are unpaid than may be',
    'wrong passwords count wherever they are tried',
    'as many requests wait as may',
  ],
  'no payment is taken twice, kept without a reason or lost': [
    'an order is paid once, and what ends is not extended, and what is extended does not end',
  ],
};

/** By invariant: the test with several processes, or why there is nothing that they share. */
export const checkedElsewhere: Readonly<Record<string, string>> = {
  'a transaction awaits only its own queries': 'about the transactions of one process: test/platform/store.test.ts',
  'no statement scans a long table': 'about statements, the same in every process: test/platform/long-history.test.ts',
  'one control plane per data folder':
    'each process has its own folder: test/platform/postgres/processes.test.ts for the database',
  'a process that was given up writes nothing': 'test/platform/postgres/given-up.test.ts',
  'the link carries desires and facts':
    'a host is connected to one process: test/soak/several-processes.test.ts changes it',
  'logs are bytes at offsets': 'test/builds/shared-log-faults.test.ts',
  'one process per build on the host': 'about the host: test/host-agent/runner/process.test.ts',
  'secrets exist in clear only': 'about what is written, by whichever process: test/e2e/secrets-never-leak.test.ts',
  'three APIs are encapsulated plugins': 'about the routes of a program: test/platform/envelopes.test.ts',
  'a route is described once': 'about the routes of a program: test/access/routes.test.ts',
  'addresses that customers give are reached only through `platform/outbound/public-fetch.ts`':
    'about the requests of one process: test/platform/public-fetch.test.ts',
  'time is injected': 'about the program text: test/architecture/discipline.test.ts',
};
