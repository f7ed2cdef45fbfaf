// Tables and functions of what processes share. They hold nothing that outlives the processes: a crash of the server may empty
// them, a move leaves them out, and no migration describes them. While a new version is rolled out processes of both use them: what
// changes its meaning gets another name.

/** First number of the advisory locks: of a process that lives (second number: its own), and of a name. */
export const ALIVE = 1_667_851_622;
export const NAME = 1_667_851_623;
/** Held while these statements run. */
const MAKING = 1_667_851_624;

/**
 * Every function reads what is committed when each of its statements begins (read committed). A process lives while its
 * session holds its lock, so one whose lock can be had is dead.
 */
export const schema = `
  SELECT pg_advisory_xact_lock(${MAKING});
  CREATE SEQUENCE IF NOT EXISTS shared_processes AS integer CYCLE;
  CREATE UNLOGGED TABLE IF NOT EXISTS shared_buckets (
    name text COLLATE "C" PRIMARY KEY,
    tokens double precision NOT NULL,
    at timestamptz NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX IF NOT EXISTS shared_buckets_by_time ON shared_buckets (at);
  CREATE UNLOGGED TABLE IF NOT EXISTS shared_counts (
    name text COLLATE "C" NOT NULL,
    process integer NOT NULL,
    amount bigint NOT NULL,
    PRIMARY KEY (name, process)
  ) WITH (fillfactor = 70);
  CREATE INDEX IF NOT EXISTS shared_counts_by_process ON shared_counts (process);
  CREATE OR REPLACE FUNCTION shared_take_tokens(
    of_name text, per_minute double precision, wanted double precision, back double precision,
    OUT given double precision, OUT tokens_left double precision
  ) LANGUAGE plpgsql AS $$
  DECLARE
    found shared_buckets;
    moment timestamptz;
  BEGIN
    INSERT INTO shared_buckets (name, tokens, at) VALUES (of_name, per_minute, clock_timestamp())
      ON CONFLICT (name) DO NOTHING;
    SELECT * INTO found FROM shared_buckets WHERE name = of_name FOR UPDATE;
    moment := clock_timestamp();
    tokens_left := LEAST(per_minute,
      found.tokens + back + GREATEST(0, extract(epoch FROM moment - found.at)) * per_minute / 60);
    given := LEAST(wanted, GREATEST(0, floor(tokens_left)));
    tokens_left := tokens_left - given;
    UPDATE shared_buckets SET tokens = tokens_left, at = GREATEST(at, moment) WHERE name = of_name;
  END $$;
  CREATE OR REPLACE FUNCTION shared_others(of_name text, of_process integer) RETURNS bigint LANGUAGE sql VOLATILE AS $$
    DELETE FROM shared_counts
      WHERE name = of_name AND process <> of_process AND pg_try_advisory_xact_lock_shared(${ALIVE}, process);
    SELECT COALESCE(SUM(amount), 0)::bigint FROM shared_counts WHERE name = of_name AND process <> of_process;
  $$;
  CREATE OR REPLACE FUNCTION shared_hold(of_name text, of_process integer, held bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO shared_counts (name, process, amount) VALUES (of_name, of_process, held)
      ON CONFLICT (name, process) DO UPDATE SET amount = EXCLUDED.amount;
  $$;
  CREATE OR REPLACE FUNCTION shared_take(of_name text, of_process integer, held bigint, more bigint, most bigint)
    RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    total bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(${NAME}, hashtext(of_name));
    total := held + more + shared_others(of_name, of_process);
    IF total > most THEN RETURN NULL; END IF;
    PERFORM shared_hold(of_name, of_process, held + more);
    RETURN total;
  END $$;
`;
