/** Finds the position in a text of the field at a path of the API. */
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
  /** Counted from 1, as in editors. */
  readonly line: number;
  readonly column: number;
}

/** Position of, for example, `spec.flows[0].name`. If the field is missing, that of its nearest parent. */
export function positionOf(document: Document.Parsed, path: string, lines: LineCounter): Position {
  const { line, col } = lines.linePos(offsetOf(document, partsOf(path)));
  return { line, column: col };
}

/** Splits `spec.flows[0].labels[a.b/c]` into words, and indexes or keys in brackets. */
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
