/**
 * The podSets of a flow in Kueue: which steps each contains, and Kueue's assignment. In a flow of up to 18 steps,
 * each step has its own. In a longer flow, steps with one template share one, named after the first of them.
 */
import type { FlowStep, JobFlowSpec } from '#shared/api/job-flow.ts';
import { mostPodSets, type PodSetInfo } from '#shared/api/pod-set-info.ts';
import type { PodTemplate } from '#shared/api/pod-template.ts';
import { stableJson } from '#shared/domain/hash.ts';
import { listOf } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { redactEnv } from '#shared/domain/redact.ts';

/** Name of the podSet by name of the step, in the order of the spec. */
export function podSetNames(flows: readonly FlowStep[]): ReadonlyMap<string, string> {
  let known = knownNames.get(flows);
  if (known === undefined) {
    known = namesOf(flows);
    knownNames.set(flows, known);
  }
  return known;
}

const knownNames = new WeakMap<readonly FlowStep[], ReadonlyMap<string, string>>();

function namesOf(flows: readonly FlowStep[]): ReadonlyMap<string, string> {
  if (flows.length <= mostPodSets) return new Map(flows.map(({ name }) => [name, name]));
  const first = new Map<string, string>();
  return new Map(
    flows.map((step) => {
      const template = templateKey(step);
      const name = first.get(template) ?? step.name;
      first.set(template, name);
      return [step.name, name];
    }),
  );
}

/** Without values of variables, which no decision may depend on. */
function templateKey({ jobTemplateRef, jobTemplate }: FlowStep): string {
  return jobTemplateRef ?? stableJson(redactEnv((jobTemplate ?? {}) as JsonObject));
}

/** Undefined: Kueue has assigned nothing, usually because the flow is in no queue. */
export function podSetInfoOf(
  { flows, podSetInfos }: JobFlowSpec,
  step: FlowStep,
): PodSetInfo | undefined {
  if (podSetInfos === undefined) return undefined;
  const name = podSetNames(flows).get(step.name);
  return podSetInfos.find((info) => info.name === name);
}

/** Keys of the template win, because Kueue starts nothing if the two differ. */
export function withPodSetInfo(template: PodTemplate, info: PodSetInfo | undefined): PodTemplate {
  if (info === undefined) return template;
  const { metadata, spec } = template;
  const { labels, annotations, nodeSelector, tolerations, schedulingGates } = info;
  return {
    ...template,
    metadata: {
      ...metadata,
      ...united('labels', labels, metadata?.labels),
      ...united('annotations', annotations, metadata?.annotations),
    },
    spec: {
      ...spec,
      ...united('nodeSelector', nodeSelector, spec['nodeSelector'] as Texts | undefined),
      ...listed('tolerations', spec['tolerations'], tolerations),
      ...listed('schedulingGates', spec['schedulingGates'], schedulingGates),
    },
  };
}

type Texts = Readonly<Record<string, string>>;

function united<Name extends string>(
  name: Name,
  assigned: Texts | undefined,
  own: Texts | undefined,
): { readonly [Key in Name]?: Texts } {
  if (assigned === undefined) return {};
  return { [name]: { ...assigned, ...own } } as { readonly [Key in Name]: Texts };
}

function listed(
  name: string,
  own: Json | undefined,
  assigned: readonly Json[] | undefined,
): { readonly [key: string]: readonly Json[] } {
  if (assigned === undefined) return {};
  const known = listOf(own);
  const texts = new Set(known.map((each) => stableJson(each)));
  return { [name]: [...known, ...assigned.filter((each) => !texts.has(stableJson(each)))] };
}
