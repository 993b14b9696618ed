/**
 * Whether the submitter may still create what is created for the submitter's object, and use its service
 * account. The right may have been lost since admission, and Millrace creates with its own rights. For a Job
 * made from a JobTemplate, the user who last changed the template is checked too. The submitter did not write
 * the template, and its editor did not submit the flow.
 *
 * permission-1 Checked right before a create only: a function that creates nothing asks nothing.
 * permission-2 An answer is reused for a while, so that many objects of one submitter cost one question.
 * permission-3 A refusal is handled like one by the API server: the function decides once more, reports it on the
 *    object, and asks again later.
 */
import type { ReviewUser } from '#shared/domain/admission-decision.ts';
import type { MonotonicClock } from '#shared/domain/clock.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { annotations } from '#shared/domain/labels.ts';
import { type JsonObject, resourceKey } from '#shared/domain/objects.ts';
import type { CreateOperation, Plan } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { submitterText, type RecordedSubmitter } from '#shared/domain/submitter.ts';
import {
  askAccess,
  type AccessAnswer,
  type AccessQuestion,
  impersonation,
} from '#shared/kube/access-review.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { RecentAnswers } from '#shared/kube/recent-answers.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import { breachesIn } from '#shared/policy/pod-templates.ts';
import type { TemplateOrigin, TemplateOrigins } from './event-function.ts';

/** A granted right is trusted for this time, in milliseconds. */
const allowedForMs = 60_000;
/** A newly granted right should be noticed sooner than a withdrawn one. */
const refusedForMs = 15_000;
const capacity = 1_000;

export interface SubmitterPermissionsOptions {
  readonly client: Pick<KubeClient, 'review'>;
  readonly clock: MonotonicClock;
  /** Says which service accounts need a right. Absent: none. */
  readonly policy?: PodPolicy;
}

/** A right that a create needs. */
interface Right {
  readonly question: AccessQuestion;
  /** The right in words, after "may". */
  readonly words: string;
}

export class SubmitterPermissions {
  readonly #options: SubmitterPermissionsOptions;
  readonly #answers: RecentAnswers<AccessAnswer>;

  constructor(options: SubmitterPermissionsOptions) {
    this.#options = options;
    this.#answers = new RecentAnswers({
      clock: options.clock,
      most: capacity,
      keepMs: ({ allowed }) => (allowed ? allowedForMs : refusedForMs),
    });
  }

  /** Empty if everything in the plan may be created. Throws MR_API_* if the API server does not answer. */
  async refusals(
    submitter: RecordedSubmitter | undefined,
    plan: Plan,
    originOf: TemplateOrigins = () => undefined,
  ): Promise<readonly Rejection[]> {
    const creates = plan.flat().filter((operation) => operation.kind === 'create');
    const refused = await Promise.all(
      creates.map(async (create): Promise<readonly Rejection[]> => {
        const message = await this.#refusal(answerableFor(submitter, originOf(create)), create);
        const { name } = create.object.metadata;
        return message === undefined ? [] : [{ name, code: 'Forbidden', message }];
      }),
    );
    return refused.flat();
  }

  /** Reports the first missing right; the others do not matter without it. */
  async #refusal(
    answerable: readonly Answerable[],
    create: CreateOperation,
  ): Promise<string | undefined> {
    for (const { user, role } of answerable) {
      if (user === 'unknown') return `the annotation ${annotations.submitter} names no user`;
      for (const right of rightsFor(create, user, this.#options.policy)) {
        const message = await this.#lack(right, role);
        if (message !== undefined) return message;
      }
    }
    return undefined;
  }

  async #lack({ question, words }: Right, role: string): Promise<string | undefined> {
    const { username } = question.user;
    try {
      const { allowed, reason } = await this.#ask(question);
      if (allowed) return undefined;
      const why = reason === undefined ? '' : `: ${reason}`;
      return `${username}, who ${role}, may not ${words}${why}`;
    } catch (error) {
      if (!hasCode(error, 'MR_API_FORBIDDEN')) throw error;
      return `cannot check whether ${username} may ${words}: ${error.message}`;
    }
  }

  #ask(question: AccessQuestion): Promise<AccessAnswer> {
    const { user, verb, resource, namespace, name = '' } = question;
    const key = [verb, resourceKey(resource), namespace, name, submitterText(user)].join(' ');
    return this.#answers.to(key, (signal) => askAccess(this.#options.client, question, signal));
  }
}

interface Answerable {
  readonly user: RecordedSubmitter;
  /** The user's part in it, after "who". */
  readonly role: string;
}

/** No recorded user: the operator has chosen that none is checked (trust.ts). */
function answerableFor(
  submitter: RecordedSubmitter | undefined,
  origin: TemplateOrigin | undefined,
): readonly Answerable[] {
  const editor = origin?.submitter;
  return [
    ...(submitter === undefined ? [] : [{ user: submitter, role: 'submitted this' }]),
    ...(editor === undefined
      ? []
      : [{ user: editor, role: `last changed the JobTemplate "${origin?.name ?? ''}"` }]),
  ];
}

function rightsFor(
  { resource, object }: CreateOperation,
  user: ReviewUser,
  policy: PodPolicy | undefined,
): readonly Right[] {
  const { namespace = '' } = object.metadata;
  const where = `in the namespace ${namespace}`;
  return [
    {
      question: { user, verb: 'create', resource, namespace },
      words: `create ${resourceKey(resource)} ${where}`,
    },
    ...guardedAccounts(object as unknown as JsonObject, policy).map((name) => ({
      question: impersonation(user, namespace, name),
      words: `impersonate the service account ${name} ${where}, as which its Pods run`,
    })),
  ];
}

/** Without the rules that only warn: admission has reported them. */
function guardedAccounts(object: JsonObject, policy: PodPolicy | undefined): readonly string[] {
  if (policy === undefined) return [];
  const guarded = breachesIn(object, policy).filter(
    ({ rule, action }) => rule === 'serviceAccount' && action === 'deny',
  );
  return [...new Set(guarded.map(({ value }) => value))];
}
