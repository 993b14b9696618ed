/**
 * Each wait of the list happens under `millrace up`, and a user sees what the list says. If there is a kubectl, the
 * last command of `millrace why` is run.
 */
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startUp, type RunningUp } from '#functions/millrace/up/start-up.ts';
import type { Explanation } from '#functions/millrace/why/explanation.ts';
import { prepare } from '#test/support/waits/scenarios-of-policies.ts';
import { play, scenarios } from '#test/support/waits/scenarios.ts';
import { Stage } from '#test/support/waits/stage.ts';
import { terminalBeside, typeNext } from '#test/support/waits/type-next.ts';
import { waits } from '../../deploy/waits/waits.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
let folder: string;
let running: RunningUp;
let stage: Stage;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-waits-'));
  running = await startUp({
    ...{ port: 0, nodes: 1, speed: 10, runCommands: false, stateRoot: join(folder, 'millrace') },
    ...{ webhooks: false, logger: pino({ level: 'silent' }) },
  });
  const client = running.cluster.client({ user: 'ann', fieldManager: 'ann' });
  const terminal = await terminalBeside(running.kubeconfig, folder);
  const tryNext = terminal && ((explanation: Explanation) => typeNext(terminal, explanation));
  stage = new Stage(client, 'default', tryNext);
  await prepare(stage);
});
afterAll(async () => {
  await running.stop();
  await rm(folder, { recursive: true, force: true });
});

const played = waits.filter(({ elsewhere }) => elsewhere === undefined);
const here = played.filter(
  ({ lackingInUp, trustsNoUser }) => lackingInUp === undefined && trustsNoUser !== true,
);

it.each(here.map((wait) => [wait.name, wait] as const))('%s', async (_, wait) => {
  await play(stage, wait, 30_000);
});

it('each scenario is of a wait in the list', () => {
  expect([...scenarios.keys()].sort()).toEqual(played.map(({ name }) => name).sort());
});

it.each(
  waits.flatMap(({ reason, elsewhere }) =>
    elsewhere === undefined ? [] : [[reason, elsewhere.test]],
  ),
)('%s is made to happen in %s', async (reason, test) => {
  const url = new URL(`../../${test}`, import.meta.url);
  expect(await readFile(url, 'utf8')).toContain(reason);
});
