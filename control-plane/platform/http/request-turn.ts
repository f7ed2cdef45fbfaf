// A request waits for its turn on the main thread: before its JSON body is parsed or its handler runs, before each further
// step of its work, and before its answer is serialized. It holds no turn while it waits for anything else.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SenderGone } from '../app/sender-gone.js';
import type { Turns, Work } from '../app/turns.js';
import type { Stage } from '../domain/fair-queue.js';
import type { AnswersInFlight, InFlight } from './answers-in-flight.js';
import { whenOver } from './when-over.js';

interface Waiting {
  go(): void;
  gone(): void;
}

export class RequestTurn implements Work {
  readonly party: string;
  readonly answer: InFlight;
  readonly #turns: Turns;
  /** Of its parts that wait, the oldest first. */
  #waiting: Waiting[] = [];
  #isOver = false;

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    deps: { party: string; turns: Turns; answers: AnswersInFlight; left: () => void },
  ) {
    this.party = deps.party;
    this.#turns = deps.turns;
    this.answer = deps.answers.of(deps.party, request, reply);
    whenOver(request, reply, () => {
      deps.left();
      this.#over();
    });
  }

  /** Calls `go` in its first turn; never if the connection closes before that. */
  begin(go: () => void): void {
    if (this.#isOver) return;
    this.#waiting.push({ go, gone: () => {} });
    this.#turns.enter(this, 'new');
  }

  /** Resolves at once in a turn of the request, otherwise at its next one. Throws SenderGone. */
  resume(): Promise<void> {
    if (this.#isOver) return Promise.reject(new SenderGone());
    if (this.#turns.isRunning(this)) return Promise.resolve();
    return this.#wait((stage) => this.#turns.enter(this, stage));
  }

  /** Ends the turn, if there is one, and resolves at the next one. Throws SenderGone. */
  step(): Promise<void> {
    if (!this.isRunning) return this.resume();
    if (this.#isOver) return Promise.reject(new SenderGone());
    return this.#wait(() => this.#turns.again(this));
  }

  get isRunning(): boolean {
    return this.#turns.isRunning(this);
  }

  run(): void {
    this.#waiting.shift()?.go();
  }

  #wait(enter: (stage: Stage) => void): Promise<void> {
    return new Promise((go, reject) => {
      this.#waiting.push({ go, gone: () => reject(new SenderGone()) });
      enter('begun');
    });
  }

  #over(): void {
    this.#isOver = true;
    this.answer.over();
    for (const { gone } of this.#waiting.splice(0)) {
      this.#turns.leave(this);
      gone();
    }
  }
}
