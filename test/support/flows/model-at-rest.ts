/**
 * Compares the end of a run on a real API server with the simulation's model, over every version that
 * was ever stored. Flows that are not over, are about to vanish or never ran are left out.
 */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import { restFaults } from '../../simulation/model/at-rest.ts';
import { wantedRetry } from '../../simulation/model/attempts-and-retries.ts';
import { ChildHistory } from '../../simulation/model/child-history.ts';
import { FlowHistory } from '../../simulation/model/flow-history.ts';
import type { JobObject } from './batch-objects.ts';
import type { Sighting } from './object-history.ts';

/** One line per difference; `flows` and `jobs` are of one namespace. */
export function differencesAtRest(
  flows: readonly Sighting<JobFlow & KubeObject>[],
  jobs: readonly Sighting<JobObject>[],
  nowMs: number,
): readonly string[] {
  const children = new ChildHistory();
  const history = new FlowHistory(children);
  for (const sighting of flows) history.onChange({ ...sighting, plural: 'jobflows' });
  for (const sighting of jobs) children.onChange({ ...sighting, plural: 'jobs' });
  return present(flows)
    .filter(isAtRest)
    .flatMap((flow) =>
      restFaults({
        look: {
          flow,
          startedWith: history.startedWith(flow),
          jobs: new Map(
            present(jobs).flatMap((job) =>
              controllerOf(job.metadata)?.uid === flow.metadata.uid
                ? [[job.metadata.name, job]]
                : [],
            ),
          ),
          pods: undefined,
          events: new Map(),
          beganAtMs: nowMs,
          gone: new Set(),
          noticesRemovals: true,
          isUnderLoad: false,
          templates: new Map(),
          refused: new Map(),
          wasJustRefused: false,
          atMs: nowMs,
        },
        past: history.pastOf(flow),
        clocksAreRight: true,
      }),
    );
}

/** The existing objects, as last seen. */
function present<Type extends KubeObject>(sightings: readonly Sighting<Type>[]): readonly Type[] {
  const last = new Map(sightings.map((sighting) => [sighting.object.metadata.uid, sighting]));
  return [...last.values()].flatMap(({ type, object }) => (type === 'DELETED' ? [] : [object]));
}

function isAtRest(flow: JobFlow): boolean {
  const { metadata, spec, status } = flow;
  return (
    metadata.deletionTimestamp === undefined &&
    status?.startTime !== undefined &&
    status.completionTime !== undefined &&
    status.observedGeneration === metadata.generation &&
    spec.ttlSecondsAfterFinished === undefined &&
    wantedRetry(flow) === undefined
  );
}
