// Money: what came, what went back, and what is kept for it.
import { BY_HAND, type Check } from './check.js';

/** Won that came and that went, by payment; payments without money have none. */
const MOVED = `SELECT p.order_no, p.status, p.provider, p.amount_won, p.cancelled_won, p.updated_at,
    COALESCE((SELECT SUM(l.amount_won) FROM ledger l WHERE l.order_no = p.order_no AND l.amount_won > 0), 0) AS came,
    COALESCE((SELECT SUM(l.amount_won) FROM ledger l WHERE l.order_no = p.order_no AND l.amount_won < 0), 0) AS went
  FROM payments p`;

export const paymentChecks: readonly Check[] = [
  {
    name: 'paid_in_ledger',
    holds: 'The ledger has the amount of every payment that is paid, once.',
    sql: `SELECT order_no AS subject, 'it is paid with ' || amount_won || ' won; the ledger has ' || came AS found
      FROM (${MOVED}) AS moved WHERE provider <> 'approval' AND status = 'paid' AND came <> amount_won`,
    repair: BY_HAND,
  },
  {
    name: 'returned_in_ledger',
    holds: 'The ledger has every won that went back.',
    sql: `SELECT order_no AS subject, cancelled_won || ' won went back; the ledger has ' || (-went) AS found
      FROM (${MOVED}) AS moved WHERE provider <> 'approval' AND status <> 'failed' AND -went <> cancelled_won`,
    repair: BY_HAND,
  },
  {
    name: 'nothing_kept',
    holds: 'A payment that is not accepted keeps no money.',
    sql: `SELECT order_no AS subject, 'it is ' || status || ', and ' || (came + went) || ' won are kept' AS found
      FROM (${MOVED}) AS moved WHERE came + went <> 0 AND updated_at <= :settled
        AND status IN ('pending', 'confirming', 'late', 'failed')`,
    repair: 'cidermill admin order refund',
  },
  {
    name: 'approvals_without_money',
    holds: 'An approval without money is not in the ledger.',
    sql: `SELECT order_no AS subject, 'the ledger has ' || (came + went) || ' won' AS found
      FROM (${MOVED}) AS moved WHERE provider = 'approval' AND (came <> 0 OR went <> 0)`,
    repair: BY_HAND,
  },
  {
    name: 'order_is_paid',
    holds: 'An order that is served has been paid.',
    sql: `SELECT o.order_no AS subject, 'it is ' || o.status || ', its payment ' || COALESCE(p.status, 'is missing') AS found
      FROM orders o LEFT JOIN payments p ON p.order_no = o.order_no
      WHERE o.status IN ('paid', 'provisioning', 'ready') AND (p.status IS NULL OR p.status NOT IN ('paid', 'cancelled'))
        AND NOT EXISTS (SELECT 1 FROM credit_payments c WHERE c.order_no = o.order_no)`,
    repair: BY_HAND,
  },
  {
    name: 'credit_balance',
    holds: 'Each entry of credit has the balance after it.',
    sql: `SELECT 'entry ' || entry_id AS subject, 'its balance is ' || balance || ' millionths of a dollar; the entries sum up to ' || total AS found
      FROM (SELECT entry_id, balance_micro_usd AS balance,
          SUM(micro_usd) OVER (PARTITION BY account_id ORDER BY entry_id) AS total FROM credit_ledger) AS entries
      WHERE balance <> total`,
    repair: 'cidermill admin credit adjust',
  },
];
