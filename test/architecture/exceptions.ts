// Imports of the control plane that the matrix does not allow yet, by the file that has them: most read or write rows
// of a capability below in their own transaction. The list may only become shorter: a new one, and one that is gone,
// fails the test.

export const exceptions: Readonly<Record<string, readonly string[]>> = {
  'builds/app/build-assignment.ts': ['macs/store/macs.ts'],
  'builds/app/build-end.ts': ['macs/store/macs.ts'],
  'builds/app/build-runs.ts': ['macs/store/macs.ts'],
  'builds/app/build-submission.ts': ['macs/store/macs.ts'],
  'builds/app/queue.ts': ['macs/store/macs.ts'],
  'renting/store/rentals.ts': ['hosts/store/calendar-revision.ts'],
  'macs/store/macs.ts': ['hosts/store/calendar-revision.ts'],
  'payments/app/order-refunds.ts': ['renting/store/rentals.ts'],
  'renting/app/availability-audit.ts': ['macs/store/macs.ts'],
  'renting/app/extensions.ts': ['macs/store/macs.ts'],
  'renting/app/occupancy.ts': ['renting/store/rentals.ts'],
  'renting/app/order-changes.ts': ['macs/store/jobs.ts', 'renting/store/rentals.ts', 'macs/store/macs.ts'],
  'renting/app/order-ends.ts': ['renting/store/rentals.ts'],
  'renting/app/provisioning.ts': ['renting/store/rentals.ts', 'macs/store/macs.ts'],
  'renting/app/rental-end.ts': [
    'builds/store/build-hosts.ts',
    'builds/store/build-queue.ts',
    'builds/store/builds.ts',
    'macs/store/macs.ts',
  ],
  'renting/app/rental-grants.ts': ['renting/store/rentals.ts', 'macs/store/macs.ts'],
  'renting/app/rented-macs.ts': ['macs/store/jobs.ts'],
  'renting/app/stranded-macs.ts': ['macs/store/macs.ts'],
  'renting/store/holds.ts': ['hosts/store/calendar-revision.ts'],
  'start/app/start.ts': ['macs/store/macs.ts'],
};
