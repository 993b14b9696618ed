/**
 * Whether the submitter of an object may still create what is created on its account. Rights that were
 * there at admission may be gone, and what is created is created with ours.
 *
 * B1 Asked right before a create and only then: a function that creates nothing asks nothing.
 * B2 An answer counts for a while, so that many objects of one submitter cost one question.
 * B3 A refusal is told as a refusal of the API server: the function decides once more knowing it, tells
 *    its object, and asks again later by itself.
 */
import type { ReviewUser } from '#shared/domain/admission-decision.ts';
import type { MonotonicClock } from '#shared/domain/clock.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { annotations } from '#shared/domain/labels.ts';
import { resourceKey } from '#shared/domain/objects.ts';
import type { CreateOperation, Plan } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { submitterText, type RecordedSubmitter } from '#shared/domain/submitter.ts';
import { askAccess, type AccessAnswer } from '#shared/kube/access-review.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { Recent } from './recent.ts';

/** Who may is believed to for so long, milliseconds. */
const allowedForMs = 60_000;
/** A right that is granted should not be waited for as long as one that is taken away is noticed. */
const refusedForMs = 15_000;
const capacity = 1_000;

interface Known {
  readonly askedAtMs: number;
  readonly answer: Promise<AccessAnswer>;
  /** Undefined until it has come. */
  allowed?: boolean;
}

export interface SubmitterPermissionsOptions {
  readonly client: Pick<KubeClient, 'review'>;
  readonly clock: MonotonicClock;
}

export class SubmitterPermissions {
  readonly #options: SubmitterPermissionsOptions;
  readonly #known = new Recent<Known>(capacity);

  constructor(options: SubmitterPermissionsOptions) {
    this.#options = options;
  }

  /** Empty when everything in the plan may be created. Throws MR_API_* when nobody knows. */
  async refusals(
    submitter: RecordedSubmitter | undefined,
    plan: Plan,
  ): Promise<readonly Rejection[]> {
    // Nobody is on record: admission was off, and nobody was asked then either.
    if (submitter === undefined) return [];
    const creates = plan.flat().filter((operation) => operation.kind === 'create');
    const refused = await Promise.all(
      creates.map(async (create): Promise<readonly Rejection[]> => {
        const message = await this.#refusal(submitter, create);
        const { name } = create.object.metadata;
        return message === undefined ? [] : [{ name, code: 'Forbidden', message }];
      }),
    );
    return refused.flat();
  }

  async #refusal(
    submitter: RecordedSubmitter,
    create: CreateOperation,
  ): Promise<string | undefined> {
    if (submitter === 'unknown') return `the annotation ${annotations.submitter} names nobody`;
    const { namespace = '' } = create.object.metadata;
    const right = `create ${resourceKey(create.resource)} in the namespace ${namespace}`;
    try {
      const { allowed, reason } = await this.#ask(submitter, create, namespace);
      if (allowed) return undefined;
      const why = reason === undefined ? '' : `: ${reason}`;
      return `${submitter.username}, who submitted this, may not ${right}${why}`;
    } catch (error) {
      if (!hasCode(error, 'MR_API_FORBIDDEN')) throw error;
      return `nobody may be asked whether ${submitter.username} may ${right}: ${error.message}`;
    }
  }

  #ask(user: ReviewUser, { resource }: CreateOperation, namespace: string): Promise<AccessAnswer> {
    const key = `${resourceKey(resource)} ${namespace} ${submitterText(user)}`;
    const nowMs = this.#options.clock.monotonicMs();
    const known = this.#known.get(key);
    if (known !== undefined && nowMs < known.askedAtMs + countsForMs(known)) return known.answer;
    const question = { user, verb: 'create', resource, namespace };
    const answer = askAccess(this.#options.client, question);
    const asked: Known = { askedAtMs: nowMs, answer };
    this.#known.set(key, asked);
    answer.then(
      ({ allowed }) => (asked.allowed = allowed),
      // Whoever waits for it is told; the next one asks anew.
      () => this.#known.delete(key),
    );
    return answer;
  }
}

function countsForMs({ allowed }: Known): number {
  return allowed === false ? refusedForMs : allowedForMs;
}
