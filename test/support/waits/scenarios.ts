/** Causes each wait of deploy/waits, and compares what a user sees with the list. */
import { expect, vi } from 'vitest';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { explain, explainedKinds } from '#functions/millrace/why/explain.ts';
import type { Explanation } from '#functions/millrace/why/explanation.ts';
import type { Wait } from '../../../deploy/waits/wait.ts';
import { scenariosOfDaemonJobs } from './scenarios-of-daemon-jobs.ts';
import { scenariosOfFlows } from './scenarios-of-flows.ts';
import { scenariosOfPolicies } from './scenarios-of-policies.ts';
import type { Scenario, Stage, Waiting } from './stage.ts';
import { everyCause } from './type-next.ts';

export const scenarios: ReadonlyMap<string, Scenario> = new Map(
  [scenariosOfFlows, scenariosOfDaemonJobs, scenariosOfPolicies].flatMap(Object.entries),
);

interface Said {
  readonly reason?: string;
  readonly message?: string;
}

interface Status extends Said {
  readonly conditions?: readonly (Said & { readonly type: string; readonly status: string })[];
  readonly jobStatusList?: readonly Said[];
  readonly nodes?: readonly Said[];
}

/** Causes the wait and waits until it shows as listed. */
export async function play(stage: Stage, wait: Wait, timeoutMs: number): Promise<void> {
  const scenario = scenarios.get(wait.name);
  if (scenario === undefined) throw new Error(`no scenario makes "${wait.name}" happen`);
  const waiting = await scenario(stage);
  await vi.waitFor(() => isShown(stage, wait, waiting), { timeout: timeoutMs, interval: 100 });
  const explained = () => untilExplained(stage, wait, waiting);
  const explanation = await vi.waitFor(explained, { timeout: timeoutMs, interval: 100 });
  await stage.tryNext?.(explanation);
}

/** `millrace why` names the listed reason, in the listed words, with a command. */
async function untilExplained(stage: Stage, wait: Wait, waiting: Waiting): Promise<Explanation> {
  const object = await stage.now(waiting);
  const kind = explainedKinds.find(({ resource }) => resource.kind === object?.kind);
  if (object === undefined || kind === undefined) throw new Error('it cannot be explained');
  const around = { client: stage.client, kubectl: 'kubectl', options: '', queueOptions: '' };
  const explanation = await explain(kind, object, undefined, around);
  const causes = everyCause(explanation.causes);
  expect(causes).toContainEqual(
    expect.objectContaining({
      reason: wait.reason,
      message: expect.stringContaining(
        wait.message.replace('/default/', `/${stage.namespace}/`),
      ) as unknown,
    }),
  );
  expect(explanation.next).toMatch(/^(?:kubectl|millrace) /);
  return explanation;
}

async function isShown(stage: Stage, wait: Wait, waiting: Waiting): Promise<void> {
  const status = statusOf(await stage.now(waiting));
  const { jobStatusList = [], nodes = [], conditions = [] } = status;
  const [shown] =
    wait.of === 'SuspendPolicy'
      ? conditions.filter(({ type, status: holds }) => `${type}=${holds}` === wait.condition)
      : wait.isOfEntry === true
        ? [...jobStatusList, ...nodes]
        : [status];
  expect(shown).toMatchObject({ reason: wait.reason });
  expect(shown?.message).toContain(wait.message.replace('/default/', `/${stage.namespace}/`));
  if (wait.isOfEntry === true) expect(status.message).toContain(wait.message);
  if (wait.condition !== undefined) {
    const held = conditions.map(({ type, status: holds }) => `${type}=${holds}`);
    expect(held).toContain(wait.condition);
  }
  if (wait.event !== undefined) {
    expect(await eventsOn(stage, waiting.object)).toContain(wait.event);
  }
}

/** A Job has its policy's words in a note. */
function statusOf(found: KubeObject | undefined): Status {
  if (found?.kind !== 'Job') return found?.status ?? {};
  const { annotations } = found.metadata;
  const note = JSON.parse(annotations?.['millrace.dev/held'] ?? '{}') as Record<string, string>;
  return { reason: note['reason'] ?? '', message: note['policy'] ?? '' };
}

async function eventsOn(stage: Stage, { metadata }: KubeObject): Promise<readonly string[]> {
  const { namespace = '' } = metadata;
  const { items } = await stage.client.list(resources.Event, { namespace });
  return (items as unknown as readonly EventObject[])
    .filter(({ involvedObject }) => involvedObject.uid === metadata.uid)
    .map(({ reason }) => reason);
}

interface EventObject {
  readonly reason: string;
  readonly involvedObject: { readonly uid: string };
}
