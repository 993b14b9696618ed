/** The Pod of a step's Job: the step's own and the flow's additions (rules 2, 7 and 8). */
import type { JobFlowSpec } from '#shared/api/job-flow.ts';
import type { Container, PodSpec } from '#shared/api/pod-template.ts';
import type { Json } from '#shared/domain/objects.ts';

type Step = JobFlowSpec['flows'][number];

export function podOfStep(spec: JobFlowSpec, step: Step, said: PodSpec): PodSpec {
  const volumes = [
    ...(said.volumes ?? []),
    ...(step.shareVolumes ?? []),
    ...(spec.shareVolumes ?? []),
  ];
  const filled = (container: Container): Container => filledContainer(spec, step, container);
  return placed(spec, {
    ...said,
    restartPolicy: 'Never',
    containers: said.containers.map(filled),
    ...(said.initContainers === undefined
      ? {}
      : { initContainers: said.initContainers.map(filled) }),
    ...(volumes.length === 0 ? {} : { volumes: firstOfEach(volumes, ({ name }) => name) }),
  });
}

/** For one name or path the container's own wins, then the step's, then the flow's. */
function filledContainer(spec: JobFlowSpec, step: Step, container: Container): Container {
  const own = container.env ?? [];
  const added = (spec.globalParams?.env ?? []).filter(
    ({ name }) => !own.some((each) => each.name === name),
  );
  const mounts = firstOfEach(
    [container, { volumeMounts: step.shareVolumeMounts }, { volumeMounts: spec.shareVolumeMounts }]
      .map(({ volumeMounts }) => volumeMounts ?? [])
      .flat(),
    ({ mountPath }) => mountPath,
  );
  return {
    ...container,
    // The flow's come first, because a variable may refer only to earlier ones.
    ...(added.length + own.length === 0 ? {} : { env: [...added, ...own] }),
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
}

/** A Pod that names its node keeps it. With affinity, every alternative of the step must remain. */
function placed({ globalParams }: JobFlowSpec, pod: PodSpec): PodSpec {
  const node = globalParams?.nodeName;
  if (node === undefined || pod.nodeName !== undefined) return pod;
  if (globalParams?.nodeBinding === 'Direct') return { ...pod, nodeName: node };
  const affinity = (pod.affinity ?? {}) as Affinity;
  const key = 'requiredDuringSchedulingIgnoredDuringExecution';
  const terms = affinity.nodeAffinity?.[key]?.nodeSelectorTerms ?? [{}];
  const there = { key: 'metadata.name', operator: 'In', values: [node] };
  const nodeSelectorTerms = terms.map((term) => ({
    ...term,
    matchFields: [...(term.matchFields ?? []), there],
  }));
  return { ...pod, affinity: { ...affinity, nodeAffinity: { [key]: { nodeSelectorTerms } } } };
}

interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms: readonly { readonly matchFields?: readonly Json[] }[];
    };
  };
}

function firstOfEach<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return items.filter(
    (item, index) => items.findIndex((each) => keyOf(each) === keyOf(item)) === index,
  );
}
