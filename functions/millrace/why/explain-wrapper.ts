/** Why an AppWrapper does not continue. */
import type { AppWrapper } from '#shared/api/app-wrapper.ts';
import type { AppWrapperStatus } from '#shared/api/app-wrapper-status.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { whySuspended } from '#shared/parents/suspension.ts';
import { requirePartOf } from '../picture/of-part.ts';
import { pictureOfWrapper } from '../picture/wrapper-picture.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { componentCauses, leavingCauses } from './component-causes.ts';
import { conditionsOf, holds, troublesIn } from './conditions.ts';
import type { Cause, Named } from './explanation.ts';
import { managedCauses } from './managed-causes.ts';
import { heldCauses } from './policy-causes.ts';
import { describe, kubectl, type Surroundings, typeOf } from './surroundings.ts';
import { queuedCauses } from './workload-causes.ts';

const troubled: ReadonlySet<string> = new Set(['Unhealthy=True', 'DeletingResources=True']);
const troubledWhileItRuns: ReadonlySet<string> = new Set([...troubled, 'PodsReady=False']);
/** The condition says when the next try begins. */
const nextTry: ReadonlySet<string> = new Set(['ResourcesDeployed=False']);

export async function explainWrapper(
  object: KubeObject,
  named: Named,
  around: Surroundings,
): Promise<readonly Cause[]> {
  const { phase } = (object.status ?? {}) as AppWrapperStatus;
  if (named.part !== undefined) {
    requirePartOf(pictureOfWrapper(object as AppWrapper), object.kind, named.part);
  }
  if (phase === 'Succeeded') return [];
  const { suspend } = fieldsOf(object.spec);
  const own = { object: named, next: describe(around, named), because: [] };
  const reported = troublesOf(object, phase).map(({ type, reason, message }) => ({
    ...own,
    reason,
    message,
    source: `condition ${type}`,
  }));
  const components = isUnderway(phase)
    ? [...creationCauses(object as AppWrapper, named), ...(await componentCauses(object, around))]
    : [];
  const isRemoved = holds(conditionsOf(object), 'DeletingResources');
  const left = isRemoved ? await leavingCauses(object, around) : [];
  return [
    ...(await managedCauses(object, named, around)),
    // Before it is suspended, what it deployed has to be gone.
    ...within(reported, [...components, ...left]),
    ...(suspend === true && phase !== 'Failed' ? await suspendedCauses(object, named, around) : []),
  ];
}

/** Components that could not be created yet. */
function creationCauses({ status }: AppWrapper, { namespace }: Named): readonly Cause[] {
  return (status?.componentStatus ?? []).flatMap(({ kind, name, conditions = [] }) =>
    conditions
      .filter(({ reason }) => reason === 'ComponentCreationErrored')
      .map(({ reason, message }) => {
        const source = 'status.componentStatus of the AppWrapper';
        return { object: { kind, namespace, name }, reason, message, source, because: [] };
      }),
  );
}

function isUnderway(phase: AppWrapperStatus['phase']): boolean {
  return phase === 'Running' || phase === 'Resuming';
}

/** The last condition is about the Pods or their removal, so the components are its causes. */
function within(reported: readonly Cause[], components: readonly Cause[]): readonly Cause[] {
  const last = reported.at(-1);
  return last === undefined
    ? components
    : [...reported.slice(0, -1), { ...last, because: components }];
}

function troublesOf(object: KubeObject, phase: AppWrapperStatus['phase']) {
  const faults = troublesIn(object, isUnderway(phase) ? troubledWhileItRuns : troubled);
  return phase === 'Resetting' ? [...faults, ...troublesIn(object, nextTry)] : faults;
}

async function suspendedCauses(
  object: KubeObject,
  named: Named,
  around: Surroundings,
): Promise<readonly Cause[]> {
  const held = await heldCauses(object, named, around);
  if (held.length > 0) return held;
  const { reason, message } = whySuspended(object.metadata, 'Suspended');
  const isQueued = reason === 'Queued';
  const patch = `patch ${typeOf(named.kind)} ${shellWord(named.name)} --type merge -p '{"spec":{"suspend":false}}'`;
  return [
    {
      object: named,
      reason,
      message,
      source: 'spec.suspend',
      next: isQueued ? describe(around, named) : kubectl(around, named.namespace, patch),
      because: isQueued ? await queuedCauses(object, around) : [],
    },
  ];
}
