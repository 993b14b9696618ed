/**
 * The API for controllers in a sandbox whose users may have webhooks. A controller's turn is
 * synchronous and a webhook is not. So a turn is aborted at a write that a webhook selects, and
 * repeated when the webhook has answered.
 *
 * reviewed-api-1 A write continues with its review if the repeated turn reaches the same write. If the
 *    turn decides differently, the webhook is asked again.
 * reviewed-api-2 No turn waits for the write of an Event. It continues by itself.
 */
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ApiCall } from '../api/api-call.ts';
import type { Progress, SandboxApi } from '../api/api.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import type { ControllerApi } from './controller.ts';
import { isKind } from './kinds.ts';

type Asking = Extract<Progress, { kind: 'waiting' }>;

/** A write whose review has arrived. */
export interface Reviewed {
  readonly call: ApiCall;
  readonly proceed: () => Progress;
}

/** Thrown out of a turn. Not a StatusError, because nothing has failed. */
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

  /** Throws StatusError, and AwaitsReview, which controllers must not catch. */
  handleNow(call: ApiCall): { readonly body: KubeObject | object } {
    const progress = this.#proceed(call);
    if (progress.kind === 'answered') return progress.answer;
    if (!isKind(call.type, 'events')) throw new AwaitsReview(call, progress);
    void finish(progress);
    return { body: call.body as object };
  }

  /**
   * Runs a turn with a review. `isUsed`: the turn reached the write of that review. False also if
   * there was no review.
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

/** A refused Event is lost, as in a cluster. */
async function finish(asking: Asking): Promise<void> {
  try {
    let progress: Progress = asking;
    while (progress.kind === 'waiting') progress = (await progress.ask())();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}
