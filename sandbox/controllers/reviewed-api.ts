/**
 * The API for controllers where users may have webhooks. A controller's turn is synchronous and a
 * webhook is not, so a turn that comes to a write which a webhook concerns is broken off, and played
 * again when the webhook has answered.
 *
 * reviewed-api-1 The write that waited goes on where it was when the turn comes to the very same
 *    one again; a turn that decides otherwise now asks anew.
 * reviewed-api-2 Events wait for nobody, and nobody waits for them: their writes go on by
 *    themselves.
 */
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ApiCall } from '../api/api-call.ts';
import type { Progress, SandboxApi } from '../api/api.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import type { ControllerApi } from './controller.ts';
import { isKind } from './kinds.ts';

type Asking = Extract<Progress, { kind: 'waiting' }>;

/** A write whose review is there. */
export interface Reviewed {
  readonly call: ApiCall;
  readonly proceed: () => Progress;
}

/** Thrown out of a turn; no StatusError, since nothing has failed. */
export class AwaitsReview extends Error {
  override readonly name = 'AwaitsReview';
  readonly #call: ApiCall;
  readonly #ask: Asking['ask'];

  constructor(call: ApiCall, { ask }: Asking) {
    super(`a webhook is asked about a write of ${call.type.plural}`);
    this.#call = call;
    this.#ask = ask;
  }

  /** Never rejects: a refusal is thrown at the write itself. */
  async review(): Promise<Reviewed> {
    return { call: this.#call, proceed: await this.#ask() };
  }
}

export class ReviewedApi implements ControllerApi {
  readonly store: SandboxApi['store'];
  readonly types: SandboxApi['types'];
  readonly #api: SandboxApi;
  #reviewed: Reviewed | undefined;

  constructor(api: SandboxApi) {
    this.store = api.store;
    this.types = api.types;
    this.#api = api;
  }

  /** Throws StatusError, and AwaitsReview, which no controller may catch. */
  handleNow(call: ApiCall): { readonly body: KubeObject | object } {
    const progress = this.#proceed(call);
    if (progress.kind === 'answered') return progress.answer;
    if (!isKind(call.type, 'events')) throw new AwaitsReview(call, progress);
    void finish(progress);
    return { body: call.body as object };
  }

  /**
   * Plays a turn in which a review is at hand. `isUsed`: the turn came to the write that the review
   * is of; false as well when there was none.
   */
  play<Result>(
    reviewed: Reviewed | undefined,
    turn: () => Result,
  ): { readonly result: () => Result; readonly isUsed: boolean } {
    this.#reviewed = reviewed;
    let result: () => Result;
    try {
      const value = turn();
      result = () => value;
    } catch (error) {
      result = () => {
        throw error;
      };
    }
    const isUsed = reviewed !== undefined && this.#reviewed === undefined;
    this.#reviewed = undefined;
    return { result, isUsed };
  }

  #proceed(call: ApiCall): Progress {
    const reviewed = this.#reviewed;
    if (reviewed === undefined || !isSame(reviewed.call, call)) return this.#api.begin(call);
    this.#reviewed = undefined;
    return reviewed.proceed();
  }
}

function isSame(left: ApiCall, right: ApiCall): boolean {
  return (
    left.verb === right.verb &&
    left.type === right.type &&
    left.namespace === right.namespace &&
    left.name === right.name &&
    left.subresource === right.subresource &&
    jsonEqual(left.options, right.options) &&
    jsonEqual(left.body, right.body)
  );
}

/** An Event that is refused is lost, as in a cluster. */
async function finish(asking: Asking): Promise<void> {
  try {
    let progress: Progress = asking;
    while (progress.kind === 'waiting') progress = (await progress.ask())();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}
