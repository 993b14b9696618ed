import { expect, test } from 'vitest';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { type ObjectOutputOptions, ObjectPrinter } from './object-printer.ts';

const [a, b] = ['a', 'b'].map((name): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, uid: asUid(name), resourceVersion: asResourceVersion('1') },
})) as [KubeObject, KubeObject];

function printed(
  output: NonNullable<ObjectOutputOptions['output']>,
  ...objects: readonly KubeObject[]
): string {
  const lines: string[] = [];
  {
    using printer = new ObjectPrinter({ output }, (line) => lines.push(line));
    for (const object of objects)
      printer.print(resources.Job, object, `${object.metadata.name} is`);
  }
  return lines.join('\n');
}

test('text is a sentence for each object', () => {
  expect(printed('text', a, b)).toBe('a is\nb is');
});

test('a name has the kind and its group, as kubectl prints it', () => {
  expect(printed('name', a, b)).toBe('job.batch/a\njob.batch/b');
});

test('JSON is the object itself, and a List of several', () => {
  expect(JSON.parse(printed('json', a))).toEqual(a);
  expect(JSON.parse(printed('json', a, b))).toMatchObject({ kind: 'List', items: [a, b] });
  expect(printed('json')).toBe('');
});

test('JSON keeps characters that a terminal would obey', () => {
  const odd = { ...a, spec: { text: 'a\u202Eb\u001B' } };
  const text = printed('json', odd);
  expect(text).not.toMatch(/[\u202E\u001B]/);
  expect(JSON.parse(text)).toEqual(odd);
});
