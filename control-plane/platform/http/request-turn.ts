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
  readonly #left: () => void;
  #isNew = true;
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
    this.#left = deps.left;
    this.answer = deps.answers.of(deps.party, request, reply);
    whenOver(request, reply, () => {
      deps.left();
      this.#over();
    });
  }

  /** Calls `go` in its first turn, or in its next one; never if the connection closes before that. */
  take(go: () => void): void {
    if (this.#isOver) return;
    this.#waiting.push({ go, gone: () => {} });
    const stage = this.#isNew ? 'new' : 'begun';
    this.#isNew = false;
    this.#turns.enter(this, stage);
  }

  /** Its JSON body, if it has one, has been received and waits no longer. */
  received({ isAnsweredSoon }: { isAnsweredSoon: boolean }): void {
    this.#left();
    if (isAnsweredSoon) this.answer.begun();
  }

  /** Resolves at once in a turn of the request, otherwise at its next one. Throws SenderGone. */
  resume(): Promise<void> {
    if (this.#isOver) return Promise.reject(new SenderGone());
    if (this.#turns.isRunning(this)) return Promise.resolve();
    return this.#wait((stage) => this.#turns.enter(this, stage));
  }

  /**
   * Ends the turn, if it has taken as long as a round, and resolves at the next one; resolves at once in a shorter one, so
   * that steps can be small. Throws SenderGone.
   */
  step(): Promise<void> {
    if (!this.isRunning || this.#turns.mayGoOn(this)) return this.resume();
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
