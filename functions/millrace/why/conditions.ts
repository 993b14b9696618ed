import { fieldsOf, listOf, textOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';

export interface ReportedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export function conditionsOf({ status }: Pick<KubeObject, 'status'>): readonly ReportedCondition[] {
  return listOf(fieldsOf(status)['conditions'])
    .map(fieldsOf)
    .map(({ type, status: holding, reason, message }) => ({
      ...{ type: textOf(type), status: textOf(holding) },
      ...{ reason: textOf(reason), message: textOf(message) },
    }));
}

/** Conditions that hold something back or report a fault. `troubles` contains `Type=Status`. */
export function troublesIn(
  object: Pick<KubeObject, 'status'>,
  troubles: ReadonlySet<string>,
): readonly ReportedCondition[] {
  return conditionsOf(object).filter(({ type, status }) => troubles.has(`${type}=${status}`));
}

export function holds(conditions: readonly ReportedCondition[], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

/** Whether a flow, DaemonJob, AppWrapper, Workload or Job has ended. */
export function hasEnded(object: KubeObject): boolean {
  const { completionTime, phase } = fieldsOf(object.status);
  if (completionTime !== undefined || phase === 'Succeeded' || phase === 'Failed') return true;
  return conditionsOf(object).some(({ type, status }) => status === 'True' && ends.has(type));
}

/** It has ended, and no new node makes it continue. */
export function isOver(object: KubeObject): boolean {
  const { completionPolicy, shutdown } = fieldsOf(object.spec);
  const isEndless = object.kind === resources.DaemonJob.kind && completionPolicy === 'Never';
  return hasEnded(object) && !(isEndless && shutdown === undefined);
}

const ends: ReadonlySet<string> = new Set(['Complete', 'Failed', 'Finished']);
