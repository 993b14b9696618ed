/** CustomResourceDefinitions, and objects of the kinds that they define. */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { KindPath } from '../harness/kinds.ts';
import { costLimits, costSchema, costSubject } from '#sandbox/testing';
import { family, type Rules } from '../harness/script.ts';
import { type Manifest, type Session, tableOf } from '../harness/session.ts';

const crd = 'CustomResourceDefinition';

/** Alphanumeric, because it is also part of a kind. */
const groupOf = (s: Session) => `${s.ns}.test`;

export function definition(
  s: Session,
  schema: JsonObject,
  version: JsonObject = {},
  spec: JsonObject = {},
): Manifest {
  const group = groupOf(s);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: crd,
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
          ...version,
        },
      ],
      ...spec,
    },
  };
}

const widgets = (s: Session, version = 'v1'): KindPath => ({
  apiVersion: `${groupOf(s)}/${version}`,
  plural: 'widgets',
  namespaced: true,
});

const widget = (s: Session, spec: Json, more: JsonObject = {}, version = 'v1'): Manifest => ({
  apiVersion: `${groupOf(s)}/${version}`,
  kind: 'Widget',
  metadata: { name: 'a' },
  spec,
  ...more,
});

/** Creates the definition, waits until it is served, runs, and deletes it. */
export async function defined(
  s: Session,
  manifest: Manifest,
  run: (kind: KindPath, make: (spec: Json, more?: JsonObject) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const { code, body } = await s.aside('POST', s.path(crd), { body: manifest });
  if (code !== 201) throw new Error(`the definition was refused: ${JSON.stringify(body)}`);
  const name = manifest.metadata!['name'] as string;
  await s.until(
    crd,
    name,
    (it) =>
      (it?.status as { conditions?: { type: string; status: string }[] }).conditions?.some(
        ({ type, status }) => type === 'Established' && status === 'True',
      ) === true,
  );
  const kind = widgets(s);
  // The path is served a moment after the condition.
  const deadline = performance.now() + 10_000;
  while ((await s.aside('GET', s.path(kind))).code !== 200 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  try {
    await run(kind, (spec, more) => s.create(widget(s, spec, more), { kind }));
  } finally {
    await s.aside('DELETE', s.path(crd, name));
  }
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});
const any: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const integer: JsonObject = { type: 'integer' };
const text: JsonObject = { type: 'string' };

const patterns: readonly string[] = [
  ...[
    '^(a+)+$',
    '^(a|aa)*!$',
    '(?i)STRASSE',
    '(?i)straße',
    '(?m)^b$',
    '(?s)a.b',
    'a(?i)B',
    '(?U)a+b',
  ],
  ...[
    '\\pL\\d',
    '^\\p{Greek}',
    '[[:^alpha:]]',
    '[[:word:]]+$',
    '\\x{1F600}',
    '^.$',
    '\\Qa+\\E',
    '^a{2,}',
  ],
];
const badPatterns = [
  '(?=a)',
  '(a)\\1',
  'a{1001}',
  'a**',
  '(',
  '[b-a]',
  '\\Z',
  '(?<!a)b',
  '[[:unheard:]]',
  '\\p{None}',
];

/** Name of the rule to the schema of spec, and specs to create one after another. */
const schemas: Readonly<Record<string, readonly [JsonObject, ...Json[]]>> = {
  'types are checked': [
    object({
      n: integer,
      t: text,
      b: { type: 'boolean' },
      l: { type: 'array', items: text },
      o: object({}),
    }),
    { n: 'x', t: 1, b: 'yes', l: {}, o: [] },
    { n: 1.5 },
    { l: [1, 'a'] },
    'text',
  ],
  'required fields': [
    object({ a: text, b: object({ c: text }, { required: ['c'] }) }, { required: ['a'] }),
    {},
    { a: 'x', b: {} },
    { a: 'x', b: { c: '' } },
  ],
  'bounds of numbers': [
    object({
      n: { type: 'integer', minimum: 1, maximum: 5 },
      e: { type: 'number', minimum: 0, exclusiveMinimum: true },
      m: { type: 'integer', multipleOf: 3 },
    }),
    { n: 0, e: 0, m: 4 },
    { n: 6 },
    { n: 1, e: 0.5, m: 9 },
  ],
  'bounds of texts': [
    object({ t: { type: 'string', minLength: 2, maxLength: 3, pattern: '^a' } }),
    { t: 'a' },
    { t: 'bcde' },
    { t: 'äöü' },
    { t: 'abc' },
  ],
  'bounds of lists and maps': [
    object({
      l: { type: 'array', items: text, minItems: 1, maxItems: 2 },
      m: { type: 'object', additionalProperties: text, minProperties: 1, maxProperties: 2 },
    }),
    { l: [], m: {} },
    { l: ['a', 'b', 'c'], m: { a: '', b: '', c: '' } },
  ],
  'a choice of values': [
    object({ t: { type: 'string', enum: ['a', 'b'] } }),
    { t: 'c' },
    { t: 'a' },
  ],
  'formats are checked where they are known': [
    object({
      d: { type: 'string', format: 'date-time' },
      i: { type: 'integer', format: 'int32' },
      u: { type: 'string', format: 'uuid' },
      x: { type: 'string', format: 'unknown' },
    }),
    { d: 'yesterday', i: 3_000_000_000, u: 'no', x: '?' },
    { d: '2026-01-01T00:00:00Z', i: 5 },
  ],
  'unknown fields are pruned': [
    object({ a: text, deep: object({ b: text }) }),
    { a: '1', x: 1, deep: { b: '2', y: 2 } },
  ],
  'unknown fields are kept where that is said': [
    object({ free: any }),
    { free: { a: { b: [1, null] } }, x: 1 },
  ],
  'defaults are put in': [
    object({
      a: { type: 'string', default: 'x' },
      o: { type: 'object', default: {}, properties: { b: { type: 'integer', default: 3 } } },
      l: { type: 'array', items: object({ c: { type: 'boolean', default: true } }) },
    }),
    {},
    { o: {}, l: [{}] },
    { a: null, o: { b: 4 } },
  ],
  'null where null may be': [
    object({ a: { type: 'string', nullable: true }, b: text }),
    { a: null, b: null },
  ],
  'a number or a text': [
    object({ p: { 'x-kubernetes-int-or-string': true } }),
    { p: 1 },
    { p: 'x' },
    { p: 1.5 },
    { p: true },
  ],
  'a set has no item twice': [
    object({ s: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' } }),
    { s: ['a', 'a'] },
    { s: ['a', 'b'] },
  ],
  'a list map has no key twice': [
    object({
      l: {
        type: 'array',
        items: object({ k: text, v: integer }, { required: ['k'] }),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
    }),
    {
      l: [
        { k: 'a', v: 1 },
        { k: 'a', v: 2 },
      ],
    },
    { l: [{ v: 1 }] },
  ],
  'one of, any of, all of, not': [
    object(
      { a: integer, b: integer },
      {
        oneOf: [{ required: ['a'] }, { required: ['b'] }],
        not: { properties: { a: { enum: [13] } }, required: ['a'] },
      },
    ),
    {},
    { a: 1, b: 2 },
    { a: 13 },
    { a: 1 },
  ],
  'patterns are those of RE2': [
    object(
      Object.fromEntries(
        patterns.map((pattern, at) => [`p${at}`, { type: 'string', pattern, maxLength: 99 }]),
      ),
    ),
    ...['', 'ab', 'a\nb', 'aa', 'Straße', 'α1', '\u0000', '😀', 'a'.repeat(60) + '!'].map((sent) =>
      Object.fromEntries(patterns.map((_, at) => [`p${at}`, sent])),
    ),
  ],
  'a rule in CEL': [
    object(
      { min: integer, max: integer },
      {
        'x-kubernetes-validations': [
          { rule: 'self.min <= self.max', message: 'min must not be over max' },
        ],
      },
    ),
    { min: 2, max: 1 },
    { min: 1, max: 2 },
  ],
  'a rule with its own words and reason': [
    object(
      { t: { type: 'string', maxLength: 10 } },
      {
        'x-kubernetes-validations': [
          {
            rule: "self.t != 'x'",
            messageExpression: "'t is ' + self.t",
            reason: 'FieldValueForbidden',
            fieldPath: '.t',
          },
        ],
      },
    ),
    { t: 'x' },
  ],
  'a rule over a list': [
    object({
      l: {
        type: 'array',
        maxItems: 10,
        items: object({ n: integer }),
        'x-kubernetes-validations': [
          { rule: 'self.all(x, x.n > 0)' },
          { rule: 'self.map(x, x.n).sum() < 10', message: 'too much' },
        ],
      },
    }),
    { l: [{ n: 0 }, { n: 11 }] },
    { l: [{ n: 1 }] },
  ],
  'a rule that fails to evaluate': [
    object(
      { m: { type: 'object', additionalProperties: integer }, k: text },
      { 'x-kubernetes-validations': [{ rule: 'self.m[self.k] > 0' }] },
    ),
    { m: { a: 1 }, k: 'b' },
    { m: { a: 1 }, k: 'a' },
  ],
  'a rule is not asked when types are wrong': [
    object({ n: integer }, { 'x-kubernetes-validations': [{ rule: 'self.n > 5' }] }),
    { n: 'x' },
  ],
};

const bySchema = Object.fromEntries(
  Object.entries(schemas).map(([rule, [schema, ...specs]]) => [
    rule,
    async (s: Session) => {
      await defined(s, definition(s, schema), async (kind, make) => {
        for (const spec of specs) {
          await make(spec);
          await s.aside('DELETE', s.path(kind, 'a'));
        }
      });
    },
  ]),
);

/** Refused definitions, as changes of a valid one. */
const bad: Readonly<Record<string, JsonObject>> = {
  'another name than plural and group': { names: { plural: 'gadgets', kind: 'Widget' } },
  'no version': { versions: [] },
  'no stored version': {
    versions: [
      { name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
  },
  'two stored versions': {
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object' } },
    })),
  },
  'no schema': { versions: [{ name: 'v1', served: true, storage: true }] },
  'a schema that is not structural': {
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: {} } } },
      },
    ],
  },
  'an unknown scope': { scope: 'Galaxy' },
  'a bad kind': { names: { plural: 'widgets', kind: 'wid get' } },
  'a bad version name': {
    versions: [
      { name: 'V_1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
  },
  'a default that does not fit': {
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { n: { type: 'integer', default: 'x' } } },
            },
          },
        },
      },
    ],
  },
};

const refused = Object.fromEntries(
  Object.entries(bad).map(([what, spec]) => [
    `a definition with ${what}`,
    async (s: Session) => {
      await s.create(definition(s, any, {}, spec));
    },
  ]),
);

const rule = (text: string) => definitionWithRule(text);
const definitionWithRule = (text: string): JsonObject =>
  object({ n: integer }, { 'x-kubernetes-validations': [{ rule: text }] });

/** Places where a definition may have a pattern. Faults have Go's words. */
const unreadable: Rules = {
  'patterns that no linear matching reads': async (s) => {
    for (const pattern of badPatterns) {
      const bad = { type: 'string', pattern };
      await s.create(definition(s, object({ p: bad })));
    }
    const bad = { type: 'string', pattern: '(?=a)' };
    const nested = object({
      l: { type: 'array', items: bad },
      m: { type: 'object', additionalProperties: bad },
      any: { type: 'string', anyOf: [{ pattern: '(?=b)' }] },
      not: { type: 'string', not: { pattern: '(?=c)' } },
    });
    await s.create(definition(s, nested));
  },
};

/** For each rule, the longest list that it accepts, and a list with one more item. */
const costs: Rules = {
  'what rules cost': async (s) => {
    const asked = Object.entries(costLimits);
    const properties = asked.map(([expression, limit], place) => {
      return [`p${place}`, costSchema(expression, limit + 1)] as const;
    });
    const schema = object(Object.fromEntries(properties));
    await defined(s, definition(s, schema), async (kind) => {
      for (const [place, [expression, limit]] of asked.entries()) {
        for (const count of [limit, limit + 1]) {
          const { code, body } = await s.aside('POST', `${s.path(kind)}?dryRun=All`, {
            body: widget(s, { [`p${place}`]: costSubject(count) }),
          });
          const said = (body['message'] as string | undefined) ?? '';
          s.note(`${expression} with ${count}`, [code, said.replaceAll(s.ns, 'ns')]);
        }
      }
    });
  },
};

export const definitionScripts = family('definitions', {
  ...costs,
  ...unreadable,
  ...bySchema,
  ...refused,
  'a rule in CEL that does not compile': async (s) => {
    const { code, body } = await s.aside('POST', s.path(crd), {
      body: definition(s, rule('self.none > 1')),
    });
    s.note('answer', [
      code,
      body['reason'],
      (body['details'] as { causes?: { field: string; reason: string }[] }).causes?.map(
        ({ field, reason }) => [field, reason],
      ),
    ]);
  },
  'a definition becomes established': async (s) => {
    const manifest = definition(s, any);
    const name = manifest.metadata!['name'] as string;
    await s.create(manifest);
    const it = await s.until(
      crd,
      name,
      (seen) =>
        (
          seen?.status as { conditions?: { type: string; status: string; reason: string }[] }
        ).conditions?.some(
          ({ type, status, reason }) =>
            type === 'Established' && status === 'True' && reason === 'InitialNamesAccepted',
        ) === true,
    );
    s.note('status', it?.status);
    s.note('spec', it?.spec);
    await s.delete(crd, name);
    await s.untilGone(crd, name);
  },
  'objects go with their definition': async (s) => {
    await defined(s, definition(s, any), async (kind, make) => {
      await make({ a: 1 });
      const name = `widgets.${groupOf(s)}`;
      await s.aside('DELETE', s.path(crd, name));
      await s.untilGone(crd, name);
      await s.until(kind, 'a', (it) => it === undefined);
      // A real server stops serving the path a moment after the definition is gone.
      await s.until(kind, '', (it) => it === undefined);
      const { code } = await s.aside('GET', s.path(kind));
      s.note('code', code);
    });
  },
  'an object of a defined kind lives': async (s) => {
    await defined(s, definition(s, any), async (kind, make) => {
      await make({ a: 1 });
      await make({ a: 1 });
      await s.read(kind, 'a');
      await s.list(kind);
      await s.patch(kind, 'a', 'merge', { spec: { b: 2 } });
      await s.patch(kind, 'a', 'json', [{ op: 'remove', path: '/spec/a' }]);
      await s.patch(kind, 'a', 'strategic', { spec: { c: 3 } });
      await s.apply({ ...widget(s, { d: 4 }) }, 'one', { kind });
      await s.delete(kind, 'a');
      await s.read(kind, 'a');
    });
  },
  'unknown fields under each fieldValidation': async (s) => {
    await defined(s, definition(s, object({ a: text })), async (kind) => {
      for (const fieldValidation of ['Strict', 'Warn', 'Ignore']) {
        await s.create(widget(s, { a: '1', x: 2 }, { top: 1 }), {
          kind,
          query: { fieldValidation, dryRun: 'All' },
        });
      }
    });
  },
  'without a status subresource status is a plain field': async (s) => {
    const schema = { openAPIV3Schema: object({ spec: any, status: any }) };
    await defined(s, definition(s, any, { schema }), async (kind, make) => {
      await make({}, { status: { done: true } });
      await s.patch(kind, 'a', 'merge', { status: { done: false } });
      await s.read(kind, 'a', { sub: 'status' });
    });
  },
  'with a status subresource status has its own path': async (s) => {
    const schema = { openAPIV3Schema: object({ spec: any, status: any }) };
    const subresources = { status: {} };
    await defined(s, definition(s, any, { schema, subresources }), async (kind, make) => {
      await make({ a: 1 }, { status: { done: true } });
      await s.patch(kind, 'a', 'merge', { spec: { a: 2 }, status: { done: true } });
      await s.patch(
        kind,
        'a',
        'merge',
        { spec: { a: 3 }, status: { done: true } },
        { sub: 'status' },
      );
      await s.read(kind, 'a', { sub: 'status' });
    });
  },
  'a scale subresource': async (s) => {
    const schema = {
      openAPIV3Schema: object({
        spec: object({ replicas: integer }),
        status: object({ replicas: integer, selector: text }),
      }),
    };
    const scale = {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    };
    await defined(
      s,
      definition(s, any, { schema, subresources: { status: {}, scale } }),
      async (kind, make) => {
        await make({ replicas: 2 });
        await s.patch(
          kind,
          'a',
          'merge',
          { status: { replicas: 1, selector: 'a=b' } },
          { sub: 'status' },
        );
        await s.read(kind, 'a', { sub: 'scale' });
        await s.patch(kind, 'a', 'merge', { spec: { replicas: 5 } }, { sub: 'scale' });
        await s.patch(kind, 'a', 'merge', { spec: { replicas: -5 } }, { sub: 'scale' });
        await s.read(kind, 'a');
      },
    );
  },
  'printer columns make a Table': async (s) => {
    const additionalPrinterColumns = [
      { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
      { name: 'First', type: 'string', jsonPath: '.spec.list[0].name', priority: 1 },
      { name: 'Missing', type: 'string', jsonPath: '.spec.none' },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ];
    await defined(s, definition(s, any, { additionalPrinterColumns }), async (kind, make) => {
      await make({ size: 3, list: [{ name: 'x' }] });
      await s.read(kind, 'a', { headers: { accept: tableOf } });
    });
  },
  'without printer columns a Table has name and age': async (s) => {
    await defined(s, definition(s, any), async (kind, make) => {
      await make({});
      await s.list(kind, {}, { headers: { accept: tableOf } });
    });
  },
  'selectable fields': async (s) => {
    const selectableFields = [{ jsonPath: '.spec.colour' }];
    await defined(
      s,
      definition(s, object({ colour: text }), { selectableFields }),
      async (kind, make) => {
        await make({ colour: 'red' });
        await s.list(kind, { fieldSelector: 'spec.colour=red' });
        await s.list(kind, { fieldSelector: 'spec.colour=blue' });
        await s.list(kind, { fieldSelector: 'spec.size=1' });
      },
    );
  },
  'two served versions show one object': async (s) => {
    const version = (name: string, storage: boolean) => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: object({ spec: any }) },
    });
    const versions = [version('v1', true), version('v2', false)];
    await defined(s, definition(s, any, {}, { versions }), async (kind, make) => {
      await make({ a: 1 });
      const later = { ...kind, apiVersion: `${groupOf(s)}/v2` };
      await s.read(later, 'a');
      await s.patch(later, 'a', 'merge', { spec: { a: 2 } });
      await s.read(kind, 'a');
    });
  },
  'a version that is no longer served': async (s) => {
    const version = (name: string, storage: boolean, served: boolean) => ({
      name,
      served,
      storage,
      schema: { openAPIV3Schema: object({ spec: any }) },
    });
    const versions = [version('v1', true, true), version('v2', false, false)];
    await defined(s, definition(s, any, {}, { versions }), async (kind) => {
      const later = { ...kind, apiVersion: `${groupOf(s)}/v2` };
      await s.list(later);
      await s.call('GET', `/apis/${groupOf(s)}/v1`);
    });
  },
  'transition rules compare with the old object': async (s) => {
    const schema = object({
      n: {
        ...integer,
        'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'n is immutable' }],
      },
    });
    await defined(s, definition(s, schema), async (kind, make) => {
      await make({ n: 1 });
      await s.patch(kind, 'a', 'merge', { spec: { n: 2 } });
      await s.patch(kind, 'a', 'merge', { metadata: { labels: { a: 'b' } } });
    });
  },
  'what was wrong before stays allowed while it is unchanged': async (s) => {
    const manifest = definition(s, object({ n: integer, t: text }));
    const name = manifest.metadata!['name'] as string;
    await defined(s, manifest, async (kind, make) => {
      await make({ n: 50, t: 'a' });
      const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/n/maximum';
      await s.aside('PATCH', s.path(crd, name), {
        headers: { 'content-type': 'application/json-patch+json' },
        body: [{ op: 'add', path, value: 10 }],
      });
      const deadline = performance.now() + 10_000;
      const probe = { ...widget(s, { n: 50 }), metadata: { name: 'probe' } };
      while (performance.now() < deadline) {
        const { code } = await s.aside('POST', s.path(kind), {
          body: probe,
          query: { dryRun: 'All' },
        });
        if (code === 422) break;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await s.patch(kind, 'a', 'merge', { spec: { t: 'b' } });
      await s.patch(kind, 'a', 'merge', { spec: { n: 51 } });
    });
  },
  'a kind for the whole cluster': async (s) => {
    await defined(s, definition(s, any), async () => undefined);
    const group = `wide.${groupOf(s)}`;
    const manifest = definition(s, any, {}, { scope: 'Cluster', group });
    const kind: KindPath = { apiVersion: `${group}/v1`, plural: 'widgets', namespaced: false };
    await s.aside('POST', s.path(crd), {
      body: { ...manifest, metadata: { name: `widgets.${group}` } },
    });
    await s.until(kind, 'none', (it) => it === undefined);
    const made = { apiVersion: kind.apiVersion, kind: 'Widget', metadata: { name: 'a' }, spec: {} };
    const deadline = performance.now() + 10_000;
    while ((await s.aside('GET', s.path(kind))).code !== 200 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await s.create(made, { kind });
    await s.read(kind, 'a');
    await s.aside('DELETE', s.path(crd, `widgets.${group}`));
  },
  'a watch of a defined kind': async (s) => {
    await defined(s, definition(s, any), async (kind, make) => {
      const watch = await s.watch(kind);
      await make({ a: 1 });
      await s.patch(kind, 'a', 'merge', { spec: { a: 2 } });
      await s.delete(kind, 'a');
      await watch.take(3);
    });
  },
  'discovery tells of a defined kind': async (s) => {
    await defined(s, definition(s, any, { subresources: { status: {} } }), async () => {
      await s.call('GET', `/apis/${groupOf(s)}`);
      await s.call('GET', `/apis/${groupOf(s)}/v1`);
    });
  },
  'the kind and the plural of a definition stay': async (s) => {
    const manifest = definition(s, any);
    await defined(s, manifest, async () => {
      const name = manifest.metadata!['name'] as string;
      await s.patch(crd, name, 'merge', {
        spec: { scope: 'Cluster' },
      });
      await s.patch(crd, name, 'merge', { spec: { group: 'other.test' } });
    });
  },
});
