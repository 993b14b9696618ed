/** The view of a kubectl user: examples that apply, columns, names, and `kubectl explain`. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openApiSchema } from '#shared/api/custom-resource-definition.ts';
import { kinds } from '#functions/list.ts';
import { asObject } from '#shared/api/structural-schema.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { kubectlOrThrow, kubectlWith } from '#test/support/control-plane/kubectl.ts';

const cluster = inject('cluster');
const namespace = 'api-examples';
const folder = join(import.meta.dirname, '../../deploy/examples');
const examples = readdirSync(folder).sort();

describe.skipIf(cluster === undefined)('kubectl', () => {
  const kubectl = (...args: readonly string[]) =>
    kubectlOrThrow(kubectlWith(cluster!.binaries.kubectl, cluster!.kubeconfig), args);
  const inNamespace = (...args: readonly string[]) => kubectl('-n', namespace, ...args);

  beforeAll(() => kubectl('create', 'namespace', namespace));
  afterAll(() => kubectl('delete', 'namespace', namespace, '--wait=false'));

  it('has the examples of the original operator to apply, and others', () => {
    expect(examples).toEqual([
      'daemonjob-example.yaml',
      'daemonjob-exclude-list.yaml',
      'daemonjob-rolling.yaml',
      'hello.yaml',
      'jobflow-example-error.yaml',
      'jobflow-example-template.yaml',
      'jobflow-example.yaml',
      'jobflow-parallelism.yaml',
      'jobflow-retry-steps.yaml',
      'jobtemplates.yaml',
      'suspend-nights.yaml',
      'suspend-priority.yaml',
      'suspend-queue.yaml',
      'suspend-spot.yaml',
      'suspend-weekend.yaml',
    ]);
  });

  it.each(examples)(
    'applies %s client-side, without a warning or a later difference',
    async (file) => {
      const path = join(folder, file);
      expect(await inNamespace('apply', '-f', path)).toMatch(/created/);
      expect(await inNamespace('diff', '-f', path)).toBe('');
      expect(await inNamespace('apply', '-f', path)).toMatch(/unchanged/);
      await inNamespace('delete', '-f', path);
    },
  );

  it.each(examples)('applies %s server-side, without a later difference', async (file) => {
    const path = join(folder, file);
    expect(await inNamespace('apply', '--server-side', '-f', path)).toMatch(/serverside-applied/);
    expect(await inNamespace('diff', '--server-side', '-f', path)).toBe('');
    await inNamespace('delete', '-f', path);
  });

  describe('get', () => {
    const name = 'jobflow-example';
    const status = {
      ...{ state: 'Failed', progress: '2/5', running: 0, failed: 1, suspended: 0, total: 5 },
      ...{ reason: 'StepFailed', message: 'job2 failed' },
    };
    const headings = (table: string) => table.split('\n')[0]!.trim().split(/\s+/);
    beforeAll(async () => {
      await inNamespace('apply', '-f', join(folder, 'jobflow-example.yaml'));
      const patch = JSON.stringify({ status });
      await inNamespace('patch', 'mjf', name, '--subresource=status', '--type=merge', '-p', patch);
    });
    afterAll(() => inNamespace('delete', 'mjf', name));

    it('shows exactly NAME, STATUS and AGE', async () => {
      const table = await inNamespace('get', 'jobflows.api.practice.com');
      expect(headings(table)).toEqual(['NAME', 'STATUS', 'AGE']);
      expect(table).toMatch(/^jobflow-example +Failed +\d+s$/m);
    });

    it('shows progress and reason with -o wide', async () => {
      const table = await inNamespace('get', 'mjf', '-o', 'wide');
      expect(headings(table)).toEqual(
        'NAME STATUS PROGRESS RUNNING FAILED SUSPENDED REASON MESSAGE AGE'.split(' '),
      );
      expect(table).toMatch(/Failed +2\/5 +0 +1 +0 +StepFailed +job2 failed/);
    });

    it('selects flows by their state', async () => {
      const select = (state: string) =>
        inNamespace('get', 'mjf', '-o', 'name', `--field-selector=status.state=${state}`);
      expect(await select('Failed')).toBe('jobflow.api.practice.com/jobflow-example\n');
      expect(await select('Running')).toBe('');
    });

    it('lists our kinds by their category', async () => {
      expect(await inNamespace('get', 'millrace', '-o', 'name')).toContain('jobflow-example');
    });
  });

  it('knows our short names and claims none of Volcano', async () => {
    const table = await kubectl('api-resources', '--api-group=api.practice.com', '--no-headers');
    const names = table
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/).slice(0, 2));
    expect(names).toEqual([
      ['daemonjobs', 'mdj'],
      ['jobflows', 'mjf'],
      ['jobtemplates', 'mjt'],
    ]);
  });

  it('explains the steps of a flow with their fields and types', async () => {
    const text = await kubectl('explain', 'jobflow.spec.flows', '--recursive');
    expect(text.split(/\s+/).join(' ')).toContain('Each becomes one Job as soon as all its depend');
    expect(text).toMatch(/enum: Complete, SuccessCriteriaMet/);
    expect(text).toMatch(/retryPolicy\s+<Object>\s+backoffSeconds\s+<integer>/);
  });

  it('explains one field with sentence, unit, default and example', async () => {
    const text = await kubectl('explain', 'mjf.spec.flows.retryPolicy.backoffSeconds');
    expect(text.split(/\s+/).join(' ')).toContain(
      'Wait before the first retry. Unit: seconds. Default: 10. Example: 30',
    );
  });

  it.each(kinds.map((kind) => [kind.resource.kind, kind] as const))(
    'gets a description of every field of %s from the API server',
    async (name, kind) => {
      const { group, version } = kind.resource;
      const document = await kubectl('get', '--raw', `/openapi/v3/apis/${group}/${version}`);
      const { schemas } = asObject(asObject(JSON.parse(document) as JsonObject)['components']) as {
        schemas: JsonObject;
      };
      const reversed = group.split('.').reverse().join('.');
      const served = asObject(schemas[`${reversed}.${version}.${name}`]);
      const fields = [...describedFields(served)];
      expect(fields.filter(([, description]) => description === '')).toEqual([]);
      expect(fields.map(([path]) => path)).toEqual(
        [...describedFields(openApiSchema(kind))].map(([path]) => path),
      );
    },
  );
});

/** Path and description of every field below spec and status, sorted by path. */
function describedFields(schema: JsonObject): readonly (readonly [string, string])[] {
  const { spec, status } = asObject(schema['properties']);
  const roots = { spec, ...(status === undefined ? {} : { status }) };
  return [...walk('', { properties: roots })].sort(([a], [b]) => (a < b ? -1 : 1));
}

function* walk(path: string, schema: JsonObject): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(asObject(schema['properties'] ?? {}))) {
    const field = asObject(value);
    yield [`${path}.${name}`, (field['description'] ?? '') as string];
    // The API server adds the fields of every resource.
    if (field['x-kubernetes-embedded-resource'] === true) continue;
    yield* walk(`${path}.${name}`, field['items'] === undefined ? field : asObject(field['items']));
  }
}
