/** Admission by webhooks over HTTPS (admission.k8s.io/v1), called as the API server calls them. */
import type { Json, JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { jsonPatch } from '../merge/json-patch.ts';
import { expressionOf, meets, valuesOf } from './admission-expressions.ts';
import type { AdmissionStep } from './admission-step.ts';
import { userOf } from './access.ts';
import type { Warn } from './api-call.ts';
import { asJson, fromJson, type Draft } from './draft.ts';
import { badRequest, StatusError } from '../apimachinery/status-error.ts';
import { postReview, type ReviewResponse, type Webhook } from './webhook-call.ts';
import { reviewedOptions } from './webhook-options.ts';
import { concerns, isExempt } from './admission-rules.ts';
import { newUid, type World } from './world.ts';

const group = 'admissionregistration.k8s.io';
const plurals = {
  mutate: 'mutatingwebhookconfigurations',
  validate: 'validatingwebhookconfigurations',
} as const;

export class Webhooks {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Whether any webhook must be asked about a step. */
  concern(step: AdmissionStep): boolean {
    return !isExempt(step) && this.#concerned(step).length > 0;
  }

  /**
   * Asks each webhook in the order of configuration and name, and returns the changed object.
   * Throws StatusError: the webhook's refusal, or 500 for a webhook that fails.
   */
  async review(step: AdmissionStep, warn: Warn | undefined): Promise<Draft | undefined> {
    let { object } = step;
    for (const webhook of this.#concerned(step)) {
      const present = { ...step, object };
      checkDryRun(webhook, present);
      const response = await this.#ask(webhook, present);
      if (response === undefined) continue;
      for (const warning of response.warnings ?? []) warn?.(warning);
      if (!response.allowed) throw denied(webhook, response);
      if (step.phase === 'mutate' && object !== undefined)
        object = changed(webhook, object, response);
    }
    return object;
  }

  #concerned(step: AdmissionStep): readonly Webhook[] {
    const configurations = this.#world.store.list({ group, plural: plurals[step.phase] });
    if (configurations.length === 0) return [];
    return configurations
      .flatMap(webhooksOf)
      .filter(
        (webhook) => concerns(webhook, step, this.#world) && isMeant(webhook, step, this.#world),
      );
  }

  /** Undefined: it failed, and its failurePolicy is Ignore. */
  async #ask(webhook: Webhook, step: AdmissionStep): Promise<ReviewResponse | undefined> {
    try {
      return await postReview(webhook, reviewOf(step, newUid(this.#world)));
    } catch (error) {
      if (webhook.failurePolicy === 'Ignore') return undefined;
      const why = error instanceof Error ? error.message : String(error);
      throw internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${why}`);
    }
  }
}

function webhooksOf(configuration: KubeObject): readonly Webhook[] {
  return ((configuration as Draft)['webhooks'] ?? []) as readonly Webhook[];
}

/** If a condition cannot be evaluated, the webhook's failurePolicy applies. */
function isMeant(
  { name, matchConditions = [], failurePolicy }: Webhook,
  step: AdmissionStep,
  world: World,
): boolean {
  if (matchConditions.length === 0) return true;
  const conditions = matchConditions.map(({ expression }) => expressionOf(expression));
  const outcome = meets(conditions, valuesOf(step, world));
  if (!(outcome instanceof Error)) return outcome;
  if (failurePolicy === 'Ignore') return false;
  throw internalError(`failed evaluating match conditions of ${name}: ${outcome.message}`);
}

function checkDryRun({ name, sideEffects }: Webhook, { call }: AdmissionStep): void {
  if (call.options.dryRun !== true) return;
  if (sideEffects === 'None' || sideEffects === 'NoneOnDryRun') return;
  throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
}

function reviewOf(step: AdmissionStep, uid: string): JsonObject {
  const { operation, call, object, old } = step;
  const { type, namespace, subresource, options } = call;
  const kind = { group: type.group, version: type.version, kind: type.kind };
  const resource = { group: type.group, version: type.version, resource: type.plural };
  const part =
    subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource };
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      ...part,
      name: call.name === '' ? (object?.metadata.name ?? '') : call.name,
      ...(type.namespaced ? { namespace } : {}),
      operation,
      userInfo: { ...userOf(call) },
      object: object === undefined ? null : asJson(object),
      oldObject: old === undefined ? null : asJson(old),
      dryRun: options.dryRun === true,
      options: reviewedOptions(operation, options),
    },
  };
}

/** As the API server words it (admission/plugin/webhook/errors ToStatusErr). */
function denied({ name }: Webhook, { status = {} }: ReviewResponse): StatusError {
  const { code = 0, reason = '', message = '' } = status;
  const text = `admission webhook ${JSON.stringify(name)} denied the request`;
  const detail = message === '' ? reason : message;
  return new StatusError(
    Math.max(code, 400),
    reason,
    detail === '' ? `${text} without explanation` : `${text}: ${detail}`,
  );
}

function changed({ name }: Webhook, object: Draft, { patch }: ReviewResponse): Draft {
  if (patch === undefined || patch.length === 0) return object;
  const result = patched(object, patch);
  const isSameKind = result.kind === object.kind && result.apiVersion === object.apiVersion;
  if (isSameKind) return result;
  throw internalError(`admission webhook ${JSON.stringify(name)} changed the kind`);
}

/** A patch that does not apply is the webhook's fault and not the user's. */
function patched(object: Draft, patch: readonly Json[]): Draft {
  try {
    return fromJson(jsonPatch(asJson(object), patch));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw internalError(error.message);
  }
}

function internalError(why: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${why}`, {
    causes: [{ reason: '', message: why }],
  });
}
