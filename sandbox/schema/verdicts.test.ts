/** The objects whose verdict the real API server gives in test/cluster, judged by the sandbox. */
import { describe, expect, it } from 'vitest';
import { frozenChanges, openChanges, startedSpec } from '#shared/api/testing/frozen-cases.ts';
import { flow } from '#shared/api/testing/verdict-case.ts';
import { verdictTable } from '#shared/api/testing/verdict-table.ts';
import { applyMergePatch } from '#shared/domain/merge-patch.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { compileSchema } from './compiled-schema.ts';
import { crdSchema } from './testing/crd-schema.ts';

const jobFlows = compileSchema(crdSchema('jobflows'));
const jobTemplates = compileSchema(crdSchema('jobtemplates'));

/** What a strict creation refuses: unknown fields and faults. */
function refusals(object: JsonObject): readonly unknown[] {
  const schema = object['kind'] === 'JobFlow' ? jobFlows : jobTemplates;
  const { object: pruned, dropped } = schema.prune(schema.applyDefaults(named(object)));
  return [...dropped, ...schema.validate(pruned)];
}

/** The API server makes the name before it looks at the object. */
function named(object: JsonObject): JsonObject {
  return { ...object, metadata: { name: 'generated', ...(object['metadata'] as JsonObject) } };
}

/** Names of objects are the concern of the request, not of the schema. */
const ofSchema = verdictTable.filter(({ rule }) => !rule.includes('name is no object name'));

describe('a schema of ours', () => {
  it.each(ofSchema.filter(({ faultAt }) => faultAt === undefined))('takes $rule', ({ object }) => {
    expect(refusals(object as JsonObject)).toEqual([]);
  });

  it.each(ofSchema.filter(({ faultAt }) => faultAt !== undefined))(
    'refuses $rule',
    ({ object }) => {
      expect(refusals(object as JsonObject)).not.toEqual([]);
    },
  );
});

describe('a flow', () => {
  const flowWith = (startTime: string | null) =>
    jobFlows.applyDefaults({
      ...(flow(startedSpec) as JsonObject),
      status: { state: 'Running', startTime },
    });
  const started = flowWith('2026-11-21T10:00:00Z');
  const waiting = flowWith(null);
  const changed = (object: JsonObject, spec: unknown) =>
    jobFlows.applyDefaults(applyMergePatch(object, { spec } as JsonObject) as JsonObject);

  it.each(frozenChanges)('that has started refuses %s', (_rule, spec) => {
    const [cause] = jobFlows.validate(changed(started, spec), started);
    expect(cause).toMatchObject({ reason: 'FieldValueForbidden', field: 'spec' });
    expect(cause?.message).toMatch(/^Forbidden: frozen once the flow has started/);
  });

  it.each(openChanges)('that has started takes a change of %s', (_rule, spec) => {
    expect(jobFlows.validate(changed(started, spec), started)).toEqual([]);
  });

  it.each([...frozenChanges, ...openChanges])('that has not started takes %s', (_rule, spec) => {
    expect(jobFlows.validate(changed(waiting, spec), waiting)).toEqual([]);
  });
});
