/** Where in a text the field stands that a path of the API names. */
import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
} from 'yaml';

export interface Position {
  /** From 1 on, as editors count. */
  readonly line: number;
  readonly column: number;
}

/** Of `spec.flows[0].name` in this document; of its nearest parent where the field itself is absent. */
export function positionOf(document: Document.Parsed, path: string, lines: LineCounter): Position {
  const { line, col } = lines.linePos(offsetOf(document, partsOf(path)));
  return { line, column: col };
}

/** `spec.flows[0].labels[a.b/c]`: words, and indexes or keys in brackets. */
function partsOf(path: string): readonly string[] {
  const parts = path.matchAll(/([^.[\]]+)|\[([^[\]]*)\]/g);
  return [...parts].map(([, word, bracketed]) =>
    (word ?? bracketed ?? '').replace(/^"(.*)"$/, '$1'),
  );
}

function offsetOf({ contents }: Document.Parsed, parts: readonly string[]): number {
  let node: Node | null = contents;
  let offset = startOf(contents);
  for (const part of parts) {
    if (isSeq(node)) {
      const item: unknown = node.items[Number(part)];
      if (!isNode(item)) return offset;
      [node, offset] = [item, startOf(item)];
    } else if (isMap(node)) {
      const pair = node.items.find(
        (each) => isPair(each) && isScalar(each.key) && String(each.key.value) === part,
      );
      if (pair === undefined) return offset;
      offset = startOf(isNode(pair.key) ? pair.key : null);
      node = isNode(pair.value) ? pair.value : null;
    } else return offset;
  }
  return offset;
}

function startOf(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}
