/**
 * A new kind is a folder and one line of a list: the code that feeds and runs functions names no
 * kinds.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { kinds } from '#functions/list.ts';
import { workKinds } from '#shared/api/work/work-kinds.ts';
import { workloadWork } from '#shared/api/work/workload.ts';
import { resources } from '#shared/domain/resources.ts';

const root = join(import.meta.dirname, '../..');
const rooms = ['functions/{bridge,dispatcher}/**/*.ts', 'shared/{runtime,subscription}/**/*.ts'];
/** Used for the cluster's identity, the election of the bridge, and Events of any function. */
const ofTheHouse = new Set(['Namespace', 'Lease', 'Event']);

const kindNames = [...Object.keys(resources), ...kinds.map(({ resource }) => resource.kind)];
const named = naming(kindNames.filter((name) => !ofTheHouse.has(name)));

/** The code that suspends and queues work knows its kinds only by their records. */
const roomsOfWork = [
  'shared/suspension/**/*.ts',
  'functions/{suspend-schedule,suspend-admission,flow-admission}/**/*.ts',
];
const namedWork = naming([...workKinds, workloadWork].map(({ resource }) => resource.kind));

/** The code that makes Workloads names Workloads, and Jobs that Millrace's kinds control. */
const roomsOfKueue = [
  'functions/kueue-workload-sync/**/*.ts',
  'shared/installation/kueue-access.ts',
];
const namedOurs = naming(
  workKinds.filter(({ isOurs }) => isOurs === true).map(({ resource }) => resource.kind),
);

function naming(names: readonly string[]): RegExp {
  return new RegExp(`resources\\.(${names.join('|')})\\b|['"](${names.join('|')})['"]`);
}

function sourcesIn(patterns: readonly string[]): readonly string[] {
  return patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'));
}

function linesThat(names: RegExp, patterns: readonly string[]): readonly string[] {
  return sourcesIn(patterns).flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (names.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
}

it('finds the code of the house', () => {
  expect(sourcesIn(rooms).length).toBeGreaterThan(50);
  expect(sourcesIn(roomsOfWork).length).toBeGreaterThan(50);
  expect(sourcesIn(roomsOfKueue).length).toBeGreaterThan(20);
  expect(namedOurs.test('get(resources.JobFlow)')).toBe(true);
  expect(named.test("if (kind === 'JobFlow')")).toBe(true);
  expect(named.test('watch(resources.Node)')).toBe(true);
  expect(namedWork.test("if (kind === 'DaemonJob')")).toBe(true);
  expect(namedWork.test('list(resources.LocalQueue)')).toBe(true);
});

it('bridge, dispatcher and runtime name no kind', () => {
  expect(linesThat(named, rooms)).toEqual([]);
});

it('what suspends and queues work names no kind of work', () => {
  expect(linesThat(namedWork, roomsOfWork)).toEqual([]);
});

it('what makes Workloads for Kueue names no kind of ours', () => {
  expect(linesThat(namedOurs, roomsOfKueue)).toEqual([]);
});
