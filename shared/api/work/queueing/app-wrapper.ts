/**
 * An AppWrapper in a queue: one Workload for the whole, with the podSets of each of its components. Kueue learns the
 * same at the same times as from the original's integration (kueue, pkg/controller/jobs/appwrapper, v0.19).
 */
import type { AppWrapper, AppWrapperPodSet, Component } from '#shared/api/app-wrapper.ts';
import { mostPodSets } from '#shared/api/pod-set-info.ts';
import type { PodTemplate } from '#shared/api/pod-template.ts';
import { inferPodSets, podSetsOf, replicasOf } from '#shared/api/wrapped/pod-sets.ts';
import { podTemplateAt } from '#shared/api/wrapped/template-path.ts';
import { omit } from '#shared/domain/omit.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { podSetAnnotations } from '#shared/domain/wrapper-keys.ts';
import { describedTemplate } from './described-template.ts';
import type { AdmittedPodSet, DescribedPodSet, End, PodSets, Queueing } from './queueing.ts';

export const appWrapperQueueing: Queueing = {
  podSets: (object) => describedPodSets(asWrapper(object)),
  // It keeps its quota until all its resources are gone.
  isActive: (object) => holds(asWrapper(object), 'QuotaReserved'),
  endOf: (object) => endOf(asWrapper(object)),
  arePodsReady: (object) => holds(asWrapper(object), 'PodsReady'),
  reclaimable: () => [],
  place: (object, admitted) => ({ components: placed(asWrapper(object), admitted) }),
  takeBack: (object) => ({
    components: asWrapper(object).spec.components.map((component) => withoutInfos(component)),
  }),
  restsOn: (object) => {
    const wrapper = asWrapper(object);
    return [
      wrapper.status?.phase ?? null,
      ...['QuotaReserved', 'ResourcesDeployed', 'PodsReady'].map((type) => holds(wrapper, type)),
    ];
  },
};

/** The CRD's schema guarantees the shape. */
function asWrapper(object: KubeObject): AppWrapper {
  return object as unknown as AppWrapper;
}

function holds({ status }: AppWrapper, type: string): boolean {
  return status?.conditions?.find((each) => each.type === type)?.status === 'True';
}

/** The podSets that were counted at its first pass, else the current ones. */
function podSetsOfEach({ spec, status }: AppWrapper): readonly (readonly AppWrapperPodSet[])[] {
  const { componentStatus = [] } = status ?? {};
  const isFrozen = componentStatus.length === spec.components.length;
  return spec.components.map(
    (component, index) =>
      (isFrozen ? componentStatus[index]?.podSets : undefined) ?? podSetsOf(component),
  );
}

function describedPodSets(wrapper: AppWrapper): PodSets {
  const { components } = wrapper.spec;
  const podSets: DescribedPodSet[] = [];
  for (const [index, own] of podSetsOfEach(wrapper).entries()) {
    const component = components[index];
    if (component === undefined) continue;
    const path = `spec.components[${index}]`;
    const inferred = inferPodSets(component.template);
    if (own.length === 0 && 'fault' in inferred) {
      return { kind: 'impossible', message: `${path}.template: ${inferred.fault}` };
    }
    for (const podSet of own) {
      const found = podTemplateAt(component.template, podSet.path);
      if ('fault' in found) {
        return { kind: 'impossible', message: `${path}.podSets: ${found.fault}` };
      }
      podSets.push({
        name: `${wrapper.metadata.name.toLowerCase()}-${podSets.length}`,
        count: replicasOf(podSet),
        template: describedTemplate(found.value as unknown as PodTemplate),
        ...ranksOf(podSet),
      });
    }
  }
  const count = podSets.length;
  if (count > 0 && count <= mostPodSets) return { kind: 'podSets', podSets };
  const message =
    count === 0
      ? 'no component has a podSet; declare spec.components[].podSets'
      : `the components have ${count} podSets, and a Workload takes ${mostPodSets}; take fewer components`;
  return { kind: 'impossible', message };
}

/** The labels by which Kueue distinguishes the Pods for placement by topology. A malformed count is ignored. */
function ranksOf({ annotations = {} }: AppWrapperPodSet): Pick<DescribedPodSet, 'topologyRequest'> {
  const podIndexLabel = ownMember(annotations, podSetAnnotations.podIndexLabel);
  const subGroupIndexLabel = ownMember(annotations, podSetAnnotations.subGroupIndexLabel);
  const count = ownMember(annotations, podSetAnnotations.subGroupCount) ?? '';
  const topologyRequest = {
    ...(podIndexLabel === undefined ? {} : { podIndexLabel }),
    ...(subGroupIndexLabel === undefined ? {} : { subGroupIndexLabel }),
    ...(/^\d{1,9}$/.test(count) ? { subGroupCount: Number(count) } : {}),
  };
  return Object.keys(topologyRequest).length === 0 ? {} : { topologyRequest };
}

/** A failed one ends when its resources are gone, and its quota with them. */
function endOf(wrapper: AppWrapper): End | undefined {
  const { phase } = wrapper.status ?? {};
  if (phase === 'Succeeded')
    return { isSuccess: true, message: 'AppWrapper finished successfully' };
  if (phase !== 'Failed' || holds(wrapper, 'ResourcesDeployed')) return undefined;
  return { isSuccess: false, message: 'AppWrapper failed' };
}

/** Each component gets the assignments of its podSets, in their order. */
function placed(wrapper: AppWrapper, admitted: readonly AdmittedPodSet[]): readonly JsonObject[] {
  const podSets = podSetsOfEach(wrapper);
  let next = 0;
  return wrapper.spec.components.map((component, index) => {
    const count = podSets[index]?.length ?? 0;
    const infos = admitted.slice(next, next + count).map(({ info }) => omit(info, 'name'));
    next += count;
    const bare = withoutInfos(component);
    return infos.length === 0 ? bare : { ...bare, podSetInfos: infos };
  });
}

function withoutInfos(component: Component): JsonObject {
  return omit(component as unknown as JsonObject, 'podSetInfos');
}
