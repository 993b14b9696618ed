/** Finds the parts that a retry by hand starts again. */
import { manualRetry } from '#functions/flow-advance/decide/retry.ts';
import type { JobFlow } from '#shared/api/job-flow.ts';
import { withAllRecords } from '#shared/api/step-records.ts';
import { fieldsOf, listOf, textOf } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';

export interface RetriedParts {
  readonly names: readonly string[];
  /** Millrace will refuse the retry. */
  readonly refusal?: { readonly reason: string; readonly message: string };
}

/** Uses the decision of flow-advance for this value of the annotation. Pure. */
export function retriedSteps(object: KubeObject, value: string): RetriedParts {
  const flow = object as JobFlow;
  const { metadata, spec, status = {} } = flow;
  const asked = {
    ...flow,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotations.retry]: value } },
  };
  const records = withAllRecords(metadata, spec.flows, status).jobStatusList ?? [];
  const recorded = new Map(records.map((record) => [record.name, record]));
  const { resetSteps: names, refusal } = manualRetry(asked, recorded);
  return { names, ...(refusal === undefined ? {} : { refusal }) };
}

/** The nodes that the status names as failed. Pure. */
export function retriedNodes({ status }: KubeObject): RetriedParts {
  const nodes = listOf(fieldsOf(status)['nodes']).map(fieldsOf);
  const failed = nodes.filter(({ state }) => state === 'Failed');
  return { names: failed.map(({ name }) => textOf(name)) };
}
