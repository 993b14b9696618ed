/** Every row of the table in the documentation, against a real API server and a running Millrace. */
import { readFile } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { describeFlows, type FlowSuite } from '#test/support/flow-suite.ts';
import type { FlowWorld } from '#test/support/flow-world.ts';
import type { Manifest } from '#test/support/flows/cluster-api.ts';
import type { Mistake } from './mistakes/mistake.ts';
import { refused } from './mistakes/refused.ts';
import { renderTable } from './mistakes/table.ts';
import { reportedLater } from './mistakes/reported-later.ts';

const page = new URL('../../docs/mistakes.md', import.meta.url);
/** A Job whose Pods are refused is reported ten seconds after its creation, and this machine is busy. */
const slowMs = 90_000;

const applied = (world: FlowWorld, manifest: Manifest) =>
  world.kubectl(['apply', '-f', '-'], JSON.stringify(manifest));

async function applyBefore(world: FlowWorld, { after }: Mistake): Promise<void> {
  if (after === undefined) return;
  await applied(world, after);
  if (after.kind !== 'JobFlow') return;
  const { name } = after.metadata;
  await world.until(`${name} started`, () => world.flow(name)?.status?.startTime !== undefined);
}

/** The status that a kubelet reports for the only container of a Pod that it accepted. */
async function report(world: FlowWorld, { manifest, kubelet }: Mistake): Promise<void> {
  if (kubelet === undefined) return;
  const jobName = `${manifest.metadata.name}-a`;
  const pod = await world.until(`the Pod of ${jobName}`, () => world.pods(jobName)[0]);
  const main = { name: 'main', image: 'busybox:1.28', imageID: '', ready: false, restartCount: 0 };
  const status = {
    startTime: '2026-01-05T10:00:00Z',
    conditions: [{ type: 'PodScheduled', status: 'True' }],
    containerStatuses: [{ ...main, state: { waiting: kubelet } }],
  };
  await world.patch('Pod', pod.metadata.name, { status }, 'status');
}

const wordsOfStatus = (world: FlowWorld, name: string) => {
  const { reason = '', message = '' } = world.flow(name)?.status ?? {};
  return `${reason}: ${message}`;
};

async function untilReportedByStatus(world: FlowWorld, mistake: Mistake): Promise<void> {
  const { name } = mistake.manifest.metadata;
  const isReported = () => wordsOfStatus(world, name).includes(mistake.says);
  await world.until(`the status of ${name} says: ${mistake.says}`, isReported, slowMs);
}

async function untilReportedByEvent(world: FlowWorld, { manifest, says }: Mistake): Promise<void> {
  const { name } = manifest.metadata;
  const isReported = async () => {
    const about = (await world.events()).filter(
      ({ involvedObject }) => involvedObject?.name === name,
    );
    expect(about.map(({ message }) => message)).toContainEqual(expect.stringContaining(says));
  };
  await vi.waitFor(isReported, { timeout: slowMs, interval: 500 });
  // The condition is written after the Event.
  const isKept = () =>
    world.flow(name)?.status?.conditions?.some(({ message }) => message.includes(says)) === true;
  await world.until(`a condition of ${name} says: ${says}`, isKept, slowMs);
}

/**
 * One namespace for all flows, whose names are those in the table. As in many namespaces, Pods with access to the node
 * are forbidden.
 */
async function openWorld(suite: FlowSuite): Promise<FlowWorld> {
  const world = await suite.world('mistakes');
  const labels = { 'pod-security.kubernetes.io/enforce': 'baseline' };
  await world.api.patch(
    'Namespace',
    { namespace: '', name: world.namespace },
    { metadata: { labels } },
  );
  return world;
}

describeFlows('a mistake that people make', (suite) => {
  let opened: Promise<FlowWorld> | undefined;
  const shared = () => (opened ??= openWorld(suite));

  it.concurrent.each(refused)(
    '$mistake: is refused with these words',
    { timeout: slowMs },
    async (mistake) => {
      const world = await shared();
      await applyBefore(world, mistake);
      await expect(applied(world, mistake.manifest)).rejects.toThrow(mistake.says);
    },
  );

  it.concurrent.each(reportedLater)(
    '$mistake: is reported with these words',
    { timeout: 2 * slowMs },
    async (mistake) => {
      const world = await shared();
      await applyBefore(world, mistake);
      await applied(world, mistake.manifest);
      await report(world, mistake);
      await (mistake.where === 'Event' ? untilReportedByEvent : untilReportedByStatus)(
        world,
        mistake,
      );
    },
  );

  it('has its row in the documentation, word for word', async () => {
    const table = renderTable([...refused, ...reportedLater]);
    const text = await readFile(page, 'utf8');
    expect(text.slice(text.indexOf('| mistake ')).trimEnd()).toBe(table);
  });
});
