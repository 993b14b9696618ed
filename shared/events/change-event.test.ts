import { HTTP, type CloudEvent as SdkEvent } from 'cloudevents';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asEventId } from '#shared/domain/objects.ts';
import { toBinaryMessage } from './binary-message.ts';
import type { CloudEvent } from './cloud-event.ts';
import { fromEventReference, toEventReference } from './change-event.ts';
import type { EventReference } from './event-reference.ts';
import { readHttpEvent } from './http-binding.ts';
import { jobReference } from './testing/job-reference.ts';

const reference: EventReference = {
  ...jobReference,
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};

const overTheWire = (event: CloudEvent): CloudEvent => {
  const { headers, body } = toBinaryMessage(event);
  return readHttpEvent(Object.entries(headers).flat(), Buffer.from(body));
};

describe('an event reference', () => {
  it.each<[string, EventReference]>([
    ['of a child', reference],
    ['of a cluster-scoped object', { ...reference, namespace: '' }],
    [
      'of a deletion',
      { ...reference, id: asEventId('u-job.77.deleted'), type: 'dev.millrace.job.deleted.v1' },
    ],
  ])('%s survives the wire unchanged', (_name, original) => {
    expect(toEventReference(overTheWire(fromEventReference(original)))).toEqual(original);
  });
  it('names the object and never carries it', () => {
    expect(Object.keys(fromEventReference(reference).data as object)).toEqual([
      'apiVersion',
      'kind',
      'namespace',
      'name',
      'uid',
      'resourceVersion',
      'owner',
    ]);
  });
  it('is refused without a uid', () => {
    const extensions = Object.fromEntries(
      Object.entries(fromEventReference(reference).extensions).filter(([name]) => name !== 'uid'),
    );
    const event = { ...fromEventReference(reference), extensions, data: {} };
    expect(() => toEventReference(event)).toThrow('uid is missing');
  });
  it('is not read from a due event', () => {
    const event = { ...fromEventReference(reference), type: 'dev.millrace.job.due.v1' };
    expect(() => toEventReference(event)).toThrow('not a change event');
  });
});

describe('a binary message', () => {
  const event: CloudEvent = {
    id: 'a1',
    source: '/tests',
    type: 'dev.tests.thing',
    extensions: {},
  };
  it('invents neither time nor content type', () => {
    expect(toBinaryMessage(event)).toEqual({
      headers: {
        'ce-id': 'a1',
        'ce-source': '/tests',
        'ce-type': 'dev.tests.thing',
        'ce-specversion': '1.0',
      },
      body: '',
    });
  });
  it('is read by the official SDK', () => {
    const { headers, body } = toBinaryMessage(fromEventReference(reference));
    const theirs = HTTP.toEvent({ headers, body }) as SdkEvent<unknown>;
    expect(theirs).toMatchObject({
      id: 'u-job.77',
      uid: 'u-job',
      data: fromEventReference(reference).data,
    });
  });
  it('percent-encodes what a header cannot carry', () => {
    const { headers } = toBinaryMessage({ ...event, subject: 'Euro € "100%"' });
    expect(headers['ce-subject']).toBe('Euro%20%E2%82%AC%20%22100%25%22');
  });
  it.each([
    [{ ...event, id: '' }],
    [{ ...event, source: '' }],
    [{ ...event, type: '' }],
    [{ ...event, extensions: { a_b: 'x' } }],
    [{ ...event, extensions: { averyveryverylongname: 'x' } }],
  ])('is refused when it would not conform: %j', (bad) => {
    expect(() => toBinaryMessage(bad)).toThrow('not a valid CloudEvent');
  });
  it('carries any text in an attribute and any JSON in the data', () => {
    const text = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter((value) => !/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u.test(value));
    fc.assert(
      fc.property(text, text, fc.jsonValue({ maxDepth: 5 }), (subject, extension, data) => {
        const original: CloudEvent = {
          ...event,
          subject,
          datacontenttype: 'application/json',
          extensions: { ext: extension },
          data: JSON.parse(JSON.stringify(data)) as never,
        };
        fc.pre(!JSON.stringify(data).includes('__proto__'));
        expect(overTheWire(original)).toEqual(original);
      }),
    );
  });
});
