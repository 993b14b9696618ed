/** Writing commands print a sentence about each object, or with `-o name|json` the output of kubectl. */
import type { Json, KubeObject, Resource } from '#shared/domain/objects.ts';
import { fullNameOf } from './full-name.ts';
import { jsonLines } from './terminal/json-line.ts';

export interface ObjectOutputOptions {
  readonly output?: 'text' | 'name' | 'json';
}

/** JSON is one document, so it is printed when the printer is disposed, even after a failure. */
export class ObjectPrinter implements Disposable {
  readonly #output: ObjectOutputOptions['output'];
  readonly #say: (line: string) => void;
  readonly #objects: KubeObject[] = [];

  constructor({ output = 'text' }: ObjectOutputOptions, say: (line: string) => void) {
    this.#output = output;
    this.#say = say;
  }

  /** `object`: the answer of the API server. `sentence`: what happened to it. */
  print(resource: Resource, object: KubeObject, sentence: string): void {
    if (this.#output === 'json') this.#objects.push(object);
    else this.#say(this.#output === 'name' ? fullNameOf(resource, object) : sentence);
  }

  [Symbol.dispose](): void {
    const [first, ...more] = this.#objects.splice(0);
    if (first === undefined) return;
    const document = more.length === 0 ? first : listOf([first, ...more]);
    for (const line of jsonLines(document)) this.#say(line);
  }
}

/** The List that kubectl prints for several objects. */
export function listOf(objects: readonly KubeObject[]) {
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: objects as unknown as readonly Json[],
    metadata: {},
  };
}
