/** Warnings about valid but probably unintended settings, shown beside `created`. */
import type { JobFlowSpec } from '../../job-flow.ts';
import type { Container, JobSpec, Volume } from '../../pod-template.ts';
import { listOf } from '#shared/domain/json-value.ts';

export function remarksOnFlow(spec: JobFlowSpec): readonly string[] {
  const { ttlSecondsAfterFinished: ttl, shareVolumes = [], flows } = spec;
  const mounted = new Set(
    [spec.shareVolumeMounts, ...flows.flatMap((step) => mountsOf(step))]
      .flatMap((mounts) => mounts ?? [])
      .map(({ name }) => name),
  );
  // The mounts of a JobTemplate are unknown here.
  const isComplete = flows.every(({ jobTemplate }) => jobTemplate !== undefined);
  return [
    ...remarksOnTtl('flow', ttl),
    ...(isComplete ? shareVolumes : [])
      .filter(({ name }) => !mounted.has(name))
      .map(({ name }) => `spec.shareVolumes: "${name}" is mounted by no container`),
    ...remarksOnVolumesOfPods(spec),
  ];
}

/** A volume of this name belongs to one Pod, but several steps mount it. */
function remarksOnVolumesOfPods({
  flows,
  shareVolumes = [],
  shareVolumeMounts = [],
}: JobFlowSpec): readonly string[] {
  const found = flows.flatMap((step) => {
    const mounted = new Set(
      [shareVolumeMounts, ...mountsOf(step)].flatMap((each) => each ?? []).map(({ name }) => name),
    );
    const volumes = new Map(
      [...shareVolumes, ...(step.shareVolumes ?? [])].map((volume) => [volume.name, volume]),
    );
    return [...volumes.values()]
      .filter(({ name }) => mounted.has(name))
      .flatMap((volume) => {
        const source = sourceOfPod(volume);
        return source === undefined ? [] : [{ name: volume.name, source }];
      });
  });
  return [...Map.groupBy(found, ({ name }) => name)]
    .filter(([, mounts]) => mounts.length > 1)
    .map(([name, mounts]) => {
      const source = mounts[0]?.source ?? '';
      return `shareVolumes: "${name}" is of the kind ${source}: each Pod has its own, empty at its start, and no step sees what another one wrote; use a persistentVolumeClaim to pass files on`;
    });
}

/** The source of a volume with the lifetime of its Pod. A volume without a source is an emptyDir. */
function sourceOfPod(volume: Volume): string | undefined {
  const sources = Object.keys(volume).filter((key) => key !== 'name');
  if (sources.length === 0) return 'emptyDir';
  return sources.find((source) => source === 'emptyDir' || source === 'ephemeral');
}

export function remarksOnTtl(what: string, ttl: number | undefined): readonly string[] {
  if (ttl !== 0) return [];
  return [
    `spec.ttlSecondsAfterFinished is 0: the ${what} is removed with its status as soon as it ends`,
  ];
}

function mountsOf({ shareVolumeMounts, jobTemplate }: JobFlowSpec['flows'][number]) {
  const { containers = [], initContainers = [] } = jobTemplate?.template.spec ?? {};
  const own = [...containers, ...initContainers].map(({ volumeMounts }) => volumeMounts);
  return [shareVolumeMounts, ...own];
}

/** `retries`: the owner's retries, beside the Job's own. */
export function remarksOnJob(
  of: string,
  { template, backoffLimit = 0, suspend }: JobSpec,
  retries = 0,
): readonly string[] {
  const { restartPolicy = 'Never', containers, initContainers = [] } = template.spec;
  const tries = (retries + 1) * (backoffLimit + 1);
  return [
    ...(restartPolicy === 'Never'
      ? []
      : [
          `${of}: restartPolicy ${restartPolicy} becomes Never: what fails is replaced (backoffLimit), not restarted`,
        ]),
    ...(retries > 0 && backoffLimit > 0
      ? [`${of}: retryPolicy and backoffLimit multiply, to ${tries} Pods in all`]
      : []),
    ...(suspend === true
      ? [`${of}: its Job is created suspended, and Millrace does not resume it`]
      : []),
    ...[...initContainers, ...containers].flatMap((container) => remarksOnContainer(of, container)),
  ];
}

/** `command: ["sleep 5"]` looks for a program with this whole name. */
function remarksOnContainer(of: string, { name, command }: Container): readonly string[] {
  const words = listOf(command);
  const [program] = words;
  if (words.length !== 1 || typeof program !== 'string') return [];
  if (!/^[\w./-]+ +\S/.test(program)) return [];
  const list = JSON.stringify(program.split(/ +/));
  return [`${of}: container "${name}" runs a program called "${program}"; for words write ${list}`];
}
