/**
 * The sandbox and the real API server judge the same object alike: causes with reason, field and
 * message, and the stored object after pruning and defaulting.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  answerOf,
  causeTexts,
  type CompiledSchema,
  compileSchema,
  expressions,
  expressionSchema,
  expressionSubject,
  keywordCases,
  keywordSchema,
  looseSchema,
  servedPath,
  ratchetCases,
  refusalOf,
  type Schema,
  type SpecimenAnswer,
  strictSchema,
  withOurKinds,
} from '#sandbox/testing';
import {
  type Change,
  frozenChanges,
  openChanges,
  startedSpec,
} from '#shared/api/testing/frozen-cases.ts';
import { multiKueue } from '#shared/api/work/managed-by.ts';
import { flow } from '#shared/api/testing/verdict-case.ts';
import { collectionPath } from '#shared/api/testing/judge.ts';
import { verdictTable } from '#shared/api/testing/verdict-table.ts';
import type { Json, JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { apiRequests, type Answer, type ApiRequests } from '#test/support/api-requests.ts';
import { describeAgreement } from './recorded-suite.ts';

const namespace = 'sandbox-schema';
const group = 'sandbox.millrace.dev';
const kinds = ['Expression', 'Keyword', 'Ratchet'] as const;
type Kind = (typeof kinds)[number];

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const pluralOf = (kind: Kind) => `${kind.toLowerCase()}s`;
const pathOf = (kind: Kind) => `/apis/${group}/v1/namespaces/${namespace}/${pluralOf(kind)}`;
const flows = `/apis/api.practice.com/v1alpha1/namespaces/${namespace}/jobflows`;

const objectOf = (kind: Kind, spec: JsonObject, name = 'example'): JsonObject => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name },
  spec,
});

const definitionOf = (kind: Kind, schema: Schema) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${pluralOf(kind)}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind, listKind: `${kind}List`, plural: pluralOf(kind), singular: kind.toLowerCase() },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

/** The API server's answer in the form of `answerOf`. */
function saidBy({ body, message }: Answer): SpecimenAnswer {
  const { details, spec } = body as unknown as {
    details?: { causes?: Parameters<typeof causeTexts>[0] };
    spec?: Json;
  };
  if (message === '') return { spec };
  return { causes: details?.causes === undefined ? [message] : causeTexts(details.causes) };
}

/** The same for a call to the sandbox. */
function saidHere(call: () => KubeObject): SpecimenAnswer {
  let object: KubeObject | undefined;
  const refusal = refusalOf(() => (object = call()));
  const body = (refusal?.toStatus() ?? object) as unknown as Json;
  return saidBy({ status: refusal?.code ?? 200, body, message: refusal?.message ?? '' });
}

function updateAnswer(schema: CompiledSchema, object: JsonObject, old: JsonObject): SpecimenAnswer {
  const causes = schema.validate(object, old);
  return causes.length > 0 ? { causes: causeTexts(causes) } : { spec: object['spec'] };
}

await describeAgreement('schema', 'the sandbox and the API server agree', (cluster) => {
  let api: ApiRequests;
  const create = (kind: Kind, spec: JsonObject) =>
    api.post(`${pathOf(kind)}?dryRun=All`, objectOf(kind, spec));

  async function install(kind: Kind, schema: Schema, isReady: (answer: Answer) => boolean) {
    const definition = definitionOf(kind, schema);
    const applied = await api.apply(
      `${definitions}/${definition.metadata.name}?fieldManager=test&force=true`,
      definition,
    );
    expect(applied).toMatchObject({ message: '' });
    const ready = async () => expect(isReady(await create(kind, { short: 'BAD' }))).toBe(true);
    await vi.waitFor(ready, { interval: 100 });
  }

  beforeAll(async () => {
    api = apiRequests(cluster);
    await api.post('/api/v1/namespaces', { metadata: { name: namespace } });
    const isServed = ({ status }: Answer) => status !== 404;
    await install('Expression', expressionSchema(expressions), isServed);
    await install('Keyword', keywordSchema, isServed);
    await install('Ratchet', looseSchema, isServed);
  });
  afterAll(async () => {
    await api.delete(`/api/v1/namespaces/${namespace}`);
    await Promise.all(kinds.map((kind) => api.delete(`${definitions}/${pluralOf(kind)}.${group}`)));
    await api.close();
  });

  it('on every function of CEL, in the order of the rules', async () => {
    const { body } = await create('Expression', expressionSubject);
    const { details } = body as unknown as { details: { causes: unknown } };
    const schema = compileSchema(expressionSchema(expressions));
    expect(schema.validate(objectOf('Expression', expressionSubject))).toEqual(details.causes);
  });

  describe('on every keyword', () => {
    const schema = compileSchema(keywordSchema);

    it.each(keywordCases)('for %s', async (_rule, spec) => {
      const answer = saidBy(await create('Keyword', spec));
      expect(answerOf(schema, objectOf('Keyword', spec))).toEqual(answer);
    });
  });

  describe('on what an update may leave as it was', () => {
    const schema = compileSchema(strictSchema);

    beforeAll(async () => {
      for (const [at, { before }] of ratchetCases.entries()) {
        if (before === undefined) continue;
        const stored = await api.post(pathOf('Ratchet'), objectOf('Ratchet', before, `case-${at}`));
        expect(stored).toMatchObject({ status: 201 });
      }
      await install('Ratchet', strictSchema, ({ status }) => status === 422);
    });

    it.each(ratchetCases.map((entry, at) => ({ ...entry, at })))(
      'for $rule',
      async ({ before, after, at }) => {
        const next = objectOf('Ratchet', after, `case-${at}`);
        if (before === undefined) {
          expect(answerOf(schema, next)).toEqual(saidBy(await create('Ratchet', after)));
          return;
        }
        const gone = Object.fromEntries(Object.keys(before).map((name) => [name, null]));
        const path = `${pathOf('Ratchet')}/case-${at}?dryRun=All`;
        const answer = saidBy(await api.mergePatch(path, { spec: { ...gone, ...after } }));
        const old = objectOf('Ratchet', before, `case-${at}`);
        expect(updateAnswer(schema, next, old)).toEqual(answer);
      },
    );
  });

  describe('on our kinds', () => {
    const ours = withOurKinds();
    const withNames = verdictTable.filter(({ object, rule }) => {
      const { name } = object['metadata'] as { name?: string };
      return name !== undefined && !rule.includes('name is no object name');
    });

    it.each(withNames)('for $rule', async ({ object }) => {
      const path = collectionPath(object, namespace);
      const answer = saidBy(await api.post(`${path}?dryRun=All`, object));
      const manifest = object as JsonObject;
      const options = { dryRun: true, fieldValidation: 'Warn' } as const;
      expect(saidHere(() => ours.create(servedPath(manifest), manifest, options))).toEqual(answer);
    });

    describe('once a flow has started', () => {
      const path = 'jobflows.api.practice.com';
      const started = { state: 'Running', startTime: '2026-11-21T10:00:00Z' };
      const manifest = flow(startedSpec) as JsonObject;
      const dryRun = { options: { dryRun: true } };

      beforeAll(async () => {
        expect(await api.post(flows, manifest)).toMatchObject({ message: '' });
        const status = await api.mergePatch(`${flows}/example/status`, { status: started });
        expect(status).toMatchObject({ message: '' });
        ours.create(path, manifest);
        ours.merge(path, 'example', { status: started }, { subresource: 'status' });
      });

      const another: Change = ['another controller', { managedBy: multiKueue }];

      it.each([...frozenChanges, ...openChanges, another])(
        'for a change: %s',
        async (_rule, change) => {
          const patch = { spec: change } as JsonObject;
          const answer = saidBy(await api.mergePatch(`${flows}/example?dryRun=All`, patch));
          expect(saidHere(() => ours.merge(path, 'example', patch, dryRun))).toEqual(answer);
        },
      );

      it.each([{ state: 'Unheard-of' }, { startTime: 5 }, { conditions: [{ type: 'Complete' }] }])(
        'for the status %j',
        async (status) => {
          const patch = { status } as JsonObject;
          const answer = saidBy(await api.mergePatch(`${flows}/example/status?dryRun=All`, patch));
          expect(answer.causes ?? []).not.toEqual([]);
          const here = { ...dryRun, subresource: 'status' };
          expect(saidHere(() => ours.merge(path, 'example', patch, here))).toEqual(answer);
        },
      );
    });
  });
});
