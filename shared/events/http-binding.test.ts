/** Each weakness of the official SDK has a strict counterpart here. */
import { HTTP, type CloudEvent as SdkEvent } from 'cloudevents';
import { describe, expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import type { CloudEvent } from './cloud-event.ts';
import { readHttpEvent } from './http-binding.ts';

const required = {
  'ce-specversion': '1.0',
  'ce-id': 'a1',
  'ce-source': '/tests',
  'ce-type': 'dev.tests.thing',
};
const structuredType = { 'content-type': 'application/cloudevents+json' };
const minimal = { specversion: '1.0', id: 'a1', source: '/tests', type: 'dev.tests.thing' };

const read = (headers: Record<string, string>, body = ''): CloudEvent =>
  readHttpEvent(Object.entries(headers).flat(), Buffer.from(body));
const readStructured = (event: unknown, headers: Record<string, string> = structuredType) =>
  read(headers, JSON.stringify(event));

function refusal(act: () => unknown): MillraceError {
  try {
    act();
  } catch (error) {
    if (error instanceof MillraceError) return error;
    throw error;
  }
  throw new Error('the event was taken');
}
const detailOf = (act: () => unknown) => {
  const error = refusal(act);
  expect(error.code).toBe('MR_EVENT_MALFORMED');
  return error.fields['detail'];
};
const without = (headers: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));

describe('agrees with the official SDK on what conforms', () => {
  const vectors: [string, Record<string, string>, string][] = [
    ['binary, required attributes only', required, ''],
    [
      'binary, every attribute and JSON data',
      {
        ...required,
        'ce-time': '2018-04-05T17:31:00.000Z',
        'ce-subject': 'cool/subject',
        'ce-dataschema': 'https://schemas.example/thing.json',
        'ce-exampleextension': 'value',
        'content-type': 'application/json',
      },
      '{"much":"wow","list":[1,{"deep":null}]}',
    ],
    ['structured, required attributes only', structuredType, JSON.stringify(minimal)],
    [
      'structured, every attribute and JSON data',
      structuredType,
      JSON.stringify({
        ...minimal,
        time: '2018-04-05T17:31:00.000Z',
        subject: 'cool/subject',
        dataschema: 'https://schemas.example/thing.json',
        datacontenttype: 'application/json',
        exampleextension: 'value',
        data: { much: 'wow', list: [1, { deep: null }] },
      }),
    ],
    ['structured, text data', structuredType, JSON.stringify({ ...minimal, data: 'plain words' })],
    [
      'binary, Knative ApiServerSource',
      {
        ...required,
        'ce-type': 'dev.knative.apiserver.ref.add',
        'ce-source': 'https://10.96.0.1:443',
        'ce-kind': 'Job',
        'ce-apiversion': 'batch/v1',
        'content-type': 'application/json',
      },
      '{"kind":"Job","apiVersion":"batch/v1","namespace":"default","name":"a"}',
    ],
  ];
  it.each(vectors)('%s', (_name, headers, body) => {
    const theirs = HTTP.toEvent({
      headers,
      body: body === '' ? undefined : body,
    }) as SdkEvent<unknown>;
    const { extensions, time, ...mine } = read(headers, body);
    const attributes = { ...mine, ...extensions };
    expect(theirs).toMatchObject(attributes);
    const known = new Set([...Object.keys(attributes), 'specversion', 'time']);
    const theirsSet = Object.entries(theirs).filter(([, value]) => value !== undefined);
    expect(theirsSet.map(([name]) => name).filter((name) => !known.has(name))).toEqual([]);
    if (time !== undefined) expect(theirs.time).toBe(time);
  });
});

describe('required attributes', () => {
  it.each(['id', 'source', 'type', 'specversion'])('refuses a binary event without %s', (name) => {
    expect(detailOf(() => read(without(required, `ce-${name}`)))).toBe(`${name} is missing`);
  });
  it.each(['id', 'source', 'type', 'specversion'])(
    'refuses a structured event without %s',
    (name) => {
      expect(detailOf(() => readStructured(without(minimal, name)))).toBe(`${name} is missing`);
    },
  );
  it.each(['id', 'source', 'type', 'subject', 'time'])('refuses an empty %s', (name) => {
    expect(detailOf(() => read({ ...required, [`ce-${name}`]: '' }))).toBe(`${name} is empty`);
  });
  it.each(['0.3', '1', '1.0.2', '9.9', '1.1'])('refuses specversion %s', (version) => {
    expect(detailOf(() => read({ ...required, 'ce-specversion': version }))).toContain(version);
    expect(detailOf(() => readStructured({ ...minimal, specversion: version }))).toContain(version);
  });
  it('refuses a request that is no event at all', () => {
    expect(detailOf(() => read({ 'content-type': 'application/json' }, '{}'))).toBe(
      'no ce- headers and no content type application/cloudevents+json',
    );
  });
  it('refuses a source that is not a URI-reference', () => {
    expect(detailOf(() => readStructured({ ...minimal, source: 'two words' }))).toBe(
      'source is not a URI-reference',
    );
  });
  it('refuses a dataschema that is not an absolute URI', () => {
    expect(detailOf(() => readStructured({ ...minimal, dataschema: '/relative' }))).toBe(
      'dataschema is not an absolute URI',
    );
  });
});

describe('time', () => {
  it.each([
    '2018-04-05T17:31:00Z',
    '2018-04-05t17:31:00.123456789z',
    '2018-04-05T17:31:00+02:00',
    '2016-12-31T23:59:60Z',
    '2024-02-29T00:00:00Z',
  ])('keeps %s as the sender wrote it', (time) => {
    expect(read({ ...required, 'ce-time': time }).time).toBe(time);
  });
  it.each([
    'yesterday',
    '2018-04-05',
    '2018-04-05 17:31:00Z',
    '2018-04-05T17:31:00',
    '2018-13-05T17:31:00Z',
    '2023-02-29T00:00:00Z',
    '2018-04-05T24:00:00Z',
    '1522949460',
  ])('refuses %s instead of replacing it by now', (time) => {
    expect(detailOf(() => read({ ...required, 'ce-time': time }))).toContain('time');
  });
  it('stays absent when the sender gave none', () => {
    expect(read(required)).not.toHaveProperty('time');
  });
});

describe('content types', () => {
  it.each([
    'application/json',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'Application/JSON; Charset="utf-8"',
    'application/vnd.thing+json',
    'text/json',
  ])('parses the data of %s', (type) => {
    expect(read({ ...required, 'content-type': type }, '{"a":1}').data).toEqual({ a: 1 });
  });
  it.each([
    'application/cloudevents+json',
    'application/cloudevents+json; charset=UTF-8',
    'APPLICATION/CLOUDEVENTS+JSON;charset=utf-8',
  ])('reads structured mode from %s', (type) => {
    expect(readStructured(minimal, { 'content-type': type }).id).toBe('a1');
  });
  it('lets the structured content type win over ce- headers', () => {
    expect(readStructured({ ...minimal, id: 'body' }, { ...structuredType, 'ce-id': 'h' }).id).toBe(
      'body',
    );
  });
  it.each(['application/cloudevents+json; charset=utf-16', 'application/json; charset=latin1'])(
    'refuses JSON in another encoding: %s',
    (type) => {
      expect(detailOf(() => read({ ...required, 'content-type': type }, '{}'))).toContain('UTF-8');
    },
  );
  it.each(['json', 'application/', 'application/json charset=utf-8', ''])(
    'refuses "%s", which is no media type',
    (type) => {
      expect(detailOf(() => read({ ...required, 'content-type': type }, '{}'))).toContain(
        'media type',
      );
    },
  );
  it('refuses a batch with 415 and says so', () => {
    const error = refusal(() =>
      read({ 'content-type': 'application/cloudevents-batch+json' }, JSON.stringify([minimal])),
    );
    expect(error.fields).toMatchObject({ status: 415 });
    expect(error.message).toContain('batches are not taken');
  });
  it.each([
    'application/cloudevents+xml',
    'application/cloudevents+avro',
    'application/cloudevents',
  ])('refuses the event format %s with 415', (type) => {
    expect(refusal(() => read({ 'content-type': type }, '<event/>')).fields['status']).toBe(415);
  });
  it('refuses a datacontenttype in a ce- header, since content-type carries it', () => {
    expect(detailOf(() => read({ ...required, 'ce-datacontenttype': 'text/plain' }))).toBe(
      'datacontenttype travels as content-type',
    );
  });
});

describe('data', () => {
  it.each([0, false, '', null, 42, true, [], 'words', { a: [] }])(
    'keeps %j, structured and binary alike',
    (data) => {
      expect(readStructured({ ...minimal, data }).data).toStrictEqual(data);
      const binary = read(
        { ...required, 'content-type': 'application/json' },
        JSON.stringify(data),
      );
      expect(binary.data).toStrictEqual(data);
    },
  );
  it('is absent without a body', () => {
    expect(read({ ...required, 'content-type': 'application/json' })).not.toHaveProperty('data');
    expect(readStructured(minimal)).not.toHaveProperty('data');
  });
  it('stays bytes for a content type other than JSON, and without one', () => {
    expect(read({ ...required, 'content-type': 'text/plain' }, 'hé').data).toEqual(
      Buffer.from('hé'),
    );
    expect(read(required, '{}').data).toEqual(Buffer.from('{}'));
  });
  it('decodes data_base64 to exactly its bytes', () => {
    const event = {
      ...minimal,
      datacontenttype: 'application/octet-stream',
      data_base64: '/wD+AQ==',
    };
    expect(readStructured(event).data).toEqual(Buffer.from([255, 0, 254, 1]));
  });
  it('parses data_base64 that holds JSON', () => {
    const event = { ...minimal, datacontenttype: 'application/json', data_base64: 'eyJhIjoxfQ==' };
    expect(readStructured(event).data).toEqual({ a: 1 });
  });
  it.each(['*', 'abc', 'a===', 7])('refuses data_base64 %j', (encoded) => {
    expect(detailOf(() => readStructured({ ...minimal, data_base64: encoded }))).toBe(
      'data_base64 is not base64',
    );
  });
  it('refuses data and data_base64 together', () => {
    const event = { ...minimal, data: 1, data_base64: 'AA==' };
    expect(detailOf(() => readStructured(event))).toBe('data and data_base64 are both given');
  });
  it('refuses invalid JSON', () => {
    expect(
      detailOf(() => read({ ...required, 'content-type': 'application/json' }, '{"a":')),
    ).toContain('not JSON');
    expect(detailOf(() => read(structuredType, '{"id":'))).toContain('not JSON');
  });
  it.each(['[]', '"text"', '1', 'null', 'true'])('refuses %s as a structured event', (body) => {
    expect(detailOf(() => read(structuredType, body))).toBe('a structured event is a JSON object');
  });
  it('refuses an already broken UTF-8 sequence in the body', () => {
    const headers = ['content-type', 'application/cloudevents+json'];
    expect(detailOf(() => readHttpEvent(headers, Buffer.from([0x7b, 0xff, 0x7d])))).toBe(
      'the event is not UTF-8',
    );
  });
  it('refuses nesting deeper than 64 levels, however deep it goes', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const headers = { ...required, 'content-type': 'application/json' };
    expect(read(headers, nested(64)).data).toBeInstanceOf(Array);
    expect(detailOf(() => read(headers, nested(70)))).toContain('deeper than 64');
    expect(detailOf(() => read(headers, nested(400_000)))).toContain('deeper than 64');
  });
  it.each(['{"__proto__":{"admin":true}}', '{"a":[{"\\u005f_proto__":1}]}'])(
    'refuses __proto__ in the data: %s',
    (body) => {
      expect(
        detailOf(() => read({ ...required, 'content-type': 'application/json' }, body)),
      ).toContain('__proto__');
      expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
    },
  );
});

describe('extensions', () => {
  it.each(['ce-a_b', 'ce-a-b', 'ce-__proto__', 'ce-a.b', 'ce-'])('refuses header %s', (name) => {
    expect(detailOf(() => read({ ...required, [name]: 'x' }))).toContain('lower-case alphanumeric');
  });
  it.each(['Upper', 'a_b', 'a-b', ''])('refuses member "%s"', (name) => {
    expect(detailOf(() => readStructured({ ...minimal, [name]: 'x' }))).toContain(
      'lower-case alphanumeric',
    );
  });
  it('refuses __proto__ as a member', () => {
    const body = `{"__proto__":{"id":"x"},${JSON.stringify(minimal).slice(1)}`;
    expect(detailOf(() => read(structuredType, body))).toContain('__proto__');
  });
  it('refuses ce-data, whose name is reserved', () => {
    expect(detailOf(() => read({ ...required, 'ce-data': 'x' }))).toContain('"data"');
  });
  it('takes a name longer than 20 characters, which the specification only discourages', () => {
    const name = 'averyveryverylongextensionname';
    expect(read({ ...required, [`ce-${name}`]: 'x' }).extensions[name]).toBe('x');
  });
  it('takes constructor and other inherited names for plain extensions', () => {
    expect(readStructured({ ...minimal, constructor: 'x' }).extensions).toEqual({
      constructor: 'x',
    });
  });
  it.each([
    [true, 'true'],
    [-7, '-7'],
    [2147483647, '2147483647'],
    ['', ''],
  ])('writes %j in canonical form', (value, text) => {
    expect(readStructured({ ...minimal, ext: value }).extensions['ext']).toBe(text);
  });
  it('treats null like an absent attribute', () => {
    expect(readStructured({ ...minimal, ext: null, subject: null })).toEqual({
      id: 'a1',
      source: '/tests',
      type: 'dev.tests.thing',
      extensions: {},
    });
  });
  it.each([[{ a: 1 }], [[1]], [1.5], [2147483648], [1e300]])('refuses the value %j', (value) => {
    expect(detailOf(() => readStructured({ ...minimal, ext: value }))).toContain('ext is neither');
  });
  it.each(['id', 'type', 'time', 'subject'])('refuses a number as %s', (name) => {
    expect(detailOf(() => readStructured({ ...minimal, [name]: 1 }))).toBe(
      `${name} is not a string`,
    );
  });
  it('refuses an attribute longer than 8192', () => {
    expect(detailOf(() => readStructured({ ...minimal, id: 'x'.repeat(8193) }))).toBe(
      'id is longer than 8192',
    );
  });
  it.each(['\u0000', '\u0007', '\u0085', '\ud800', '\uffff'])(
    'refuses the excluded character %j',
    (character) => {
      expect(detailOf(() => readStructured({ ...minimal, subject: `a${character}` }))).toContain(
        'excludes',
      );
    },
  );
});

describe('header values', () => {
  it.each([
    ['Euro%20%E2%82%AC%20%F0%9F%98%80', 'Euro € 😀'],
    ['needless%41', 'needlessA'],
    ['once%2520only', 'once%20only'],
    ['a plain space', 'a plain space'],
    ['"quoted \\"text\\""', 'quoted "text"'],
    ['%22', '"'],
  ])('decodes %s', (encoded, decoded) => {
    expect(read({ ...required, 'ce-subject': encoded }).subject).toBe(decoded);
  });
  it.each(['%FF', '%C3%28', '%E2%82', '%ED%A0%80', '100%', '%zz'])('refuses %s', (encoded) => {
    expect(detailOf(() => read({ ...required, 'ce-subject': encoded }))).toBe(
      'header ce-subject is not percent-encoded UTF-8',
    );
  });
  it('refuses bytes outside ASCII that are not encoded', () => {
    expect(detailOf(() => read({ ...required, 'ce-subject': 'â\u0082¬' }))).toContain(
      'percent-encode it',
    );
  });
  it('refuses a control character that only decoding shows', () => {
    expect(detailOf(() => read({ ...required, 'ce-id': 'a%0Ab' }))).toContain('excludes');
  });
  it.each(['ce-id', 'content-type'])('refuses %s given twice', (name) => {
    const headers = [...Object.entries(required).flat(), name, 'text/plain', name, 'text/plain'];
    expect(detailOf(() => readHttpEvent(headers, Buffer.alloc(0)))).toContain('given twice');
  });
  it('reads header names in any case', () => {
    const headers = Object.entries(required).flatMap(([name, value]) => [
      name.toUpperCase(),
      value,
    ]);
    expect(readHttpEvent(headers, Buffer.alloc(0)).id).toBe('a1');
  });
});
