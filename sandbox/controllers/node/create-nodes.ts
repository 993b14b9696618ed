/** The first nodes of a sandbox. */
import type { ControllerApi } from '../controller.ts';
import { kindOf } from '../kinds.ts';
import { Writes } from '../writes.ts';
import { newNode } from './node-object.ts';

/** Creates `node-1` to `node-<count>` if they are missing. The node controller makes them Ready. */
export function createNodes(api: ControllerApi, count: number): void {
  const type = kindOf(api, 'nodes');
  const writes = new Writes(api, 'kubelet');
  for (let number = 1; number <= count; number += 1) {
    const name = `node-${number}`;
    if (api.store.get(type, '', name) === undefined) writes.create(type, '', newNode(name));
  }
}
