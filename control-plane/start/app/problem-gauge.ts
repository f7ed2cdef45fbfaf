import type { OperatorNotices } from '../../operators/app/operator-notices.js';
import { problemKinds } from '../../operators/domain/problem.js';
import { type Gauge, labels } from '../../platform/app/gauge.js';

export function createProblemGauge(notices: Pick<OperatorNotices, 'open'>): Gauge {
  return {
    name: 'cidermill_operator_problems',
    help: 'Problems that operators have been notified of and that are not over.',
    async read() {
      const open = await notices.open();
      return Object.fromEntries(
        problemKinds.map((kind) => [labels({ kind }), open.filter((one) => one.kind === kind).length]),
      );
    },
  };
}
