import { expect, test } from 'vitest';
import { jobFlowKind } from '#shared/api/job-flow.ts';
import { CommandFailure } from '../command-failure.ts';
import { findDemo, readDemos } from './catalogue.ts';
import { rehearse } from './rehearse.ts';

const demos = await readDemos();
const five = findDemo(demos);

interface Played {
  readonly command: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

function played(demo: ReturnType<typeof rehearse>, name: string): Played {
  const step = demo.flow.spec.flows.find((entry) => entry.name === name);
  const template = step?.jobTemplate?.template as unknown as {
    metadata: { annotations: Record<string, string> };
    spec: { containers: [{ command: string[] }] };
  };
  return {
    command: template.spec.containers[0].command,
    annotations: template.metadata.annotations,
  };
}

test('every example is a demo, the five-job flow is the default', () => {
  expect(demos[0]?.name).toBe('jobflow-example');
  expect(five.flow.kind).toBe(jobFlowKind.resource.kind);
  expect(five.flow.spec.flows).toHaveLength(5);
  expect(five.says).toMatch(/^Five Jobs/);
});

test('a demo is found with and without its prefix, and brings its templates', () => {
  const found = findDemo(demos, 'example-template');
  expect(found.name).toBe('jobflow-example-template');
  expect(found.templates.map(({ metadata }) => metadata.name)).toEqual([
    'job1-template',
    'job2-template',
  ]);
});

test('an unknown demo ends with the list and exit code 4', () => {
  const find = () => findDemo(demos, 'nope');
  expect(find).toThrow(CommandFailure);
  expect(find).toThrow(/there is no demo nope[^]*jobflow-example-error/);
  expect(find).toThrow(expect.objectContaining({ exitCode: 4 }));
});

test('sleeps are shortened, to the millisecond for virtual nodes, to the second for real ones', () => {
  const { command, annotations } = played(rehearse(five, { timesFaster: 40 }), 'job2');
  expect(command.at(-1)).toBe('sleep 3');
  expect(annotations).toMatchObject({
    'sandbox.millrace.dev/run-seconds': '2.5',
    'sandbox.millrace.dev/exit-code': '0',
  });
});

test('the step that is to fail does so on virtual and on real nodes, and no other', () => {
  const failing = rehearse(five, { timesFaster: 40, fail: 'job2' });
  expect(played(failing, 'job2').command.at(-1)).toBe('sleep 3; exit 1');
  expect(played(failing, 'job2').annotations['sandbox.millrace.dev/exit-code']).toBe('1');
  expect(played(failing, 'job1').annotations['sandbox.millrace.dev/exit-code']).toBe('0');
});

test('a step that is to fail gets its own copy of the template it refers to', () => {
  const template = findDemo(demos, 'example-template');
  const failing = rehearse(template, { timesFaster: 40, fail: 'job1' });
  expect(failing.flow.spec.flows[0]).not.toHaveProperty('jobTemplateRef');
  expect(played(failing, 'job1').command.at(-1)).toBe('sleep 1; exit 1');
});

test('a step that is not there cannot fail: exit code 4 and the steps there are', () => {
  const fail = () => rehearse(five, { timesFaster: 40, fail: 'job9' });
  expect(fail).toThrow(expect.objectContaining({ exitCode: 4 }));
  expect(fail).toThrow(/it has job1, job2, job3, job4, job5/);
});

test('the example itself stays as it is', () => {
  const before = JSON.stringify(five);
  rehearse(five, { timesFaster: 40, fail: 'job2' });
  expect(JSON.stringify(five)).toBe(before);
});
