/** v1 Pod as the controllers read it. The API has validated the object before it was stored. */
import { controllerOf, type KubeObject, type ObjectMeta } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { Toleration } from '../../api/kinds/toleration-rules.ts';
import type { NodeSelectorTerm } from './node.ts';
import type { ResourceList } from './resource-list.ts';

/** Keeps an ended Pod until its Job has counted it. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly configMapKeyRef?: KeyReference;
    readonly secretKeyRef?: KeyReference;
    readonly resourceFieldRef?: { readonly resource: string; readonly containerName?: string };
  };
}

export interface KeyReference {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface EnvFrom {
  readonly prefix?: string;
  readonly configMapRef?: { readonly name: string; readonly optional?: boolean };
  readonly secretRef?: { readonly name: string; readonly optional?: boolean };
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFrom[];
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly subPath?: string;
    readonly readOnly?: boolean;
  }[];
  readonly resources?: {
    readonly requests?: ResourceList;
    readonly limits?: ResourceList;
  };
  /** For an init container: `Always` makes it a sidecar (KEP-753). */
  readonly restartPolicy?: string;
}

export interface Volume {
  readonly name: string;
  readonly emptyDir?: object;
  readonly hostPath?: { readonly path: string; readonly type?: string };
  readonly configMap?: object;
  readonly secret?: object;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly [source: string]: unknown;
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: {
        readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
      };
    };
    readonly podAffinity?: object;
    readonly podAntiAffinity?: object;
  };
  readonly topologySpreadConstraints?: readonly { readonly whenUnsatisfiable?: string }[];
  readonly tolerations?: readonly Toleration[];
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly schedulerName?: string;
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly activeDeadlineSeconds?: number;
  readonly terminationGracePeriodSeconds?: number;
  readonly hostname?: string;
  readonly serviceAccountName?: string;
  readonly overhead?: ResourceList;
  readonly volumes?: readonly Volume[];
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
}

export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec: PodSpec;
}

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastProbeTime?: string | null | undefined;
}

export interface TerminatedState {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly containerID?: string;
}

export interface ContainerState {
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly running?: { readonly startedAt: string };
  readonly terminated?: TerminatedState;
}

export interface ContainerStatus {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly ready: boolean;
  readonly started?: boolean;
  readonly restartCount: number;
  readonly state: ContainerState;
  readonly lastState?: ContainerState;
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export interface PodStatus {
  readonly phase?: PodPhase;
  readonly reason?: string;
  readonly message?: string;
  readonly startTime?: string;
  readonly hostIP?: string;
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly hostIPs?: readonly { readonly ip: string }[];
  readonly qosClass?: string;
  readonly conditions?: readonly PodCondition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
}

export interface Pod extends KubeObject {
  readonly metadata: ObjectMeta & {
    readonly generateName?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

/** The object of a store that holds only valid Pods. */
export const asPod = (object: KubeObject): Pod => object as Pod;

export const isDeleted = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined;

export function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Neither ended nor being deleted (pkg/controller/controller_utils.go, IsPodActive). */
export const isActive = (pod: Pod): boolean => !hasEnded(pod) && !isDeleted(pod);

export const isTerminating = (pod: Pod): boolean => !hasEnded(pod) && isDeleted(pod);

export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

export const isReady = (pod: Pod): boolean => podCondition(pod, 'Ready')?.status === 'True';

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) === true;
}

/** The uid of the batch/v1 Job that controls the Pod. */
export function jobOwnerOf(pod: Pod): { readonly name: string; readonly uid: string } | undefined {
  const owner = controllerOf(pod.metadata);
  return owner?.kind === 'Job' && owner.apiVersion === 'batch/v1' ? owner : undefined;
}

const sidecarNames = ({ spec }: Pod): ReadonlySet<string> =>
  new Set(spec.initContainers?.filter(isSidecar).map(({ name }) => name));

export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';

/**
 * Time of the Pod's end in milliseconds since the epoch: that of its containers, else of its
 * readiness, else of its deletion, else of its creation (pkg/controller/job/backoff_utils.go,
 * getFinishedTime).
 */
export function finishedAtMs(pod: Pod): number {
  const { metadata } = pod;
  const deletion = parseTime(metadata.deletionTimestamp);
  const ready = podCondition(pod, 'Ready');
  return (
    containersFinishedAtMs(pod) ??
    (ready?.status === 'False' ? parseTime(ready.lastTransitionTime) : undefined) ??
    (deletion === undefined
      ? undefined
      : deletion - (metadata.deletionGracePeriodSeconds ?? 0) * 1000) ??
    parseTime(metadata.creationTimestamp) ??
    0
  );
}

function containersFinishedAtMs(pod: Pod): number | undefined {
  const sidecars = sidecarNames(pod);
  const statuses = [
    ...(pod.status?.containerStatuses ?? []),
    ...(pod.status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  let latest: number | undefined;
  for (const { state } of statuses) {
    const finished = parseTime(state.terminated?.finishedAt);
    if (finished === undefined) return undefined;
    latest = Math.max(latest ?? finished, finished);
  }
  return latest;
}
